; What a C file defines, includes and insists on.
(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) body: (_) @body) @definition.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @definition.declaration
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.declaration
(struct_specifier name: (type_identifier) @name body: (_) @shape) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @shape) @definition.union
(enum_specifier name: (type_identifier) @name body: (_) @shape) @definition.enum
(type_definition type: (_) @_of declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(preproc_function_def name: (identifier) @name) @definition.macro
(preproc_def name: (identifier) @name value: (_)) @definition.macro

(preproc_include path: (_) @import)

((expression_statement (call_expression function: (identifier) @_check)) @assert
  (#match? @_check "^(_Static_assert|static_assert|assert|ASSERT|BUG_ON|BUILD_BUG_ON|[A-Z_]*ASSERT[A-Z_]*)$"))
((call_expression function: (identifier) @_stop) @raise (#any-of? @_stop "abort" "panic"))

;; references
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(type_identifier) @reference
