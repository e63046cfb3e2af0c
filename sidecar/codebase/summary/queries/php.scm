; What a PHP file defines, imports and insists on.
(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @shape) @definition.enum
(function_definition name: (name) @name body: (_) @body) @definition.function
(method_declaration name: (name) @name body: (_) @body) @definition.method
(method_declaration name: (name) @name !body) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant

(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import

(throw_expression (object_creation_expression)) @raise
((function_call_expression function: (name) @_assert) @assert (#eq? @_assert "assert"))

;; references
(function_call_expression function: (name) @reference)
(member_call_expression name: (name) @reference)
(scoped_call_expression scope: (name) @reference)
(object_creation_expression (name) @reference)
(named_type (name) @reference)
(base_clause (name) @reference)
(class_interface_clause (name) @reference)
