; What a TypeScript file defines, imports and insists on.
(class_declaration name: (_) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (_) @name body: (_) @body) @definition.class
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(interface_declaration name: (_) @name body: (_) @shape) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name body: (_) @shape) @definition.enum
(internal_module name: (_) @name body: (_) @body) @definition.namespace
(module name: (_) @name body: (_) @body) @definition.namespace
(method_definition name: (_) @name body: (_) @body) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(interface_body (method_signature name: (_) @name) @definition.method)
(class_body (method_signature name: (_) @name) @definition.method)
(class_body (public_field_definition name: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)
(class_body (public_field_definition name: (_) @name type: (type_annotation (function_type)) !value) @definition.method)
(interface_body (property_signature name: (_) @name type: (type_annotation (function_type))) @definition.method)
(program (lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)))) @definition.class
(export_statement "default" @name value: (class !name body: (_) @body)) @definition.class
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function)
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement declaration: (class_declaration name: (_) @name body: (_) @body)) @definition.class
(export_statement declaration: (abstract_class_declaration name: (_) @name body: (_) @body)) @definition.class
(export_statement declaration: (function_declaration name: (identifier) @name body: (_) @body)) @definition.function
(export_statement declaration: (function_signature name: (identifier) @name)) @definition.function
(export_statement declaration: (generator_function_declaration name: (identifier) @name body: (_) @body)) @definition.function
(export_statement declaration: (interface_declaration name: (_) @name body: (_) @shape)) @definition.interface
(export_statement declaration: (type_alias_declaration name: (_) @name)) @definition.type
(export_statement declaration: (enum_declaration name: (_) @name body: (_) @shape)) @definition.enum
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.function
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(ambient_declaration (function_signature name: (identifier) @name)) @definition.function
(ambient_declaration (class_declaration name: (_) @name body: (_) @body)) @definition.class
(ambient_declaration (abstract_class_declaration name: (_) @name body: (_) @body)) @definition.class
(ambient_declaration (interface_declaration name: (_) @name body: (_) @shape)) @definition.interface
(ambient_declaration (type_alias_declaration name: (_) @name)) @definition.type
(ambient_declaration (enum_declaration name: (_) @name body: (_) @shape)) @definition.enum
(ambient_declaration [(internal_module name: (_) @name body: (_) @body) (module name: (_) @name body: (_) @body)]) @definition.namespace
(ambient_declaration [(internal_module body: (_ (function_signature name: (identifier) @name) @definition.function))
  (module body: (_ (function_signature name: (identifier) @name) @definition.function))])
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.variable
((call_expression function: (identifier) @_told arguments: (arguments . (string (string_fragment) @name))) @definition.test
  (#any-of? @_told "describe" "it" "test" "suite"))

(export_specifier name: (identifier) @exported)
(export_statement value: (identifier) @exported)
(export_statement "=" (identifier) @exported)

(import_statement source: (string) @import)
(export_statement source: (string) @import)
(import_require_clause source: (string) @import)
((call_expression function: (identifier) @_require arguments: (arguments . (string) @import)) (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import))

((expression_statement (call_expression function: [(identifier) (member_expression)] @_check)) @assert
  (#match? @_check "^(console\\.)?(assert|invariant)(\\.\\w+)?$"))
(throw_statement (_)) @raise
(type_alias_declaration value: (union_type [(literal_type) (union_type)])) @constraint

;; references
(call_expression function: (identifier) @reference)
(call_expression function: (member_expression property: (property_identifier) @reference))
(new_expression constructor: (identifier) @reference)
(class_heritage (extends_clause value: (identifier) @reference))
(type_identifier) @reference
