; What a C++ file defines, includes and insists on.
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (_) @name)] body: (_) @body) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name) (qualified_identifier name: (_) @name)] body: (_) @body) @definition.struct
(template_declaration (class_specifier name: (type_identifier) @name body: (_) @body)) @definition.class
(template_declaration (struct_specifier name: (type_identifier) @name body: (_) @body)) @definition.struct
(template_declaration (function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name) body: (_) @body)) @definition.function
(field_declaration_list (access_specifier) @access)
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.union
(enum_specifier name: (type_identifier) @name body: (_) @shape) @definition.enum
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier) (destructor_name) (operator_name)] @name) body: (_) @body) @definition.function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container
  name: [(identifier) (destructor_name) (operator_name)] @name)) body: (_) @body) @definition.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier
  name: (qualified_identifier scope: (_) @container name: [(identifier) (destructor_name) (operator_name)] @name))) body: (_) @body) @definition.method
(function_definition declarator: (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)) body: (_) @body) @definition.function
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name))) body: (_) @body) @definition.method
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.declaration
(declaration declarator: (_ (function_declarator declarator: (identifier) @name))) @definition.declaration
(field_declaration declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @definition.declaration
(field_declaration declarator: (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @definition.declaration
(alias_declaration name: (type_identifier) @name) @definition.type
(type_definition declarator: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.concept
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.macro

(preproc_include path: (_) @import)

(static_assert_declaration) @assert
((expression_statement (call_expression function: (identifier) @_check)) @assert
  (#match? @_check "^(assert|ASSERT|CHECK|DCHECK|[A-Z_]*ASSERT[A-Z_]*|D?CHECK_[A-Z]+)$"))
(throw_statement (_)) @raise
((call_expression function: (_) @_stop) @raise (#any-of? @_stop "abort" "std::abort" "std::terminate"))

;; references
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(call_expression function: (qualified_identifier name: (identifier) @reference))
(type_identifier) @reference
