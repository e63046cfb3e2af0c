; What a Kotlin file defines, imports and insists on.
(class_declaration name: (identifier) @name [(class_body) (enum_class_body)] @body) @definition.class
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name (class_body) @body) @definition.object
(object_declaration name: (identifier) @name) @definition.object
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.variable)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(type_alias type: (identifier) @name) @definition.type

(import) @import

(throw_expression (call_expression)) @raise
((call_expression . (identifier) @_check) @assert (#any-of? @_check "require" "requireNotNull" "check" "checkNotNull" "assert"))
((call_expression . (identifier) @_error) @raise (#eq? @_error "error"))

;; references
(call_expression . (identifier) @reference)
(call_expression . (navigation_expression (identifier) @reference .))
(user_type (identifier) @reference)
