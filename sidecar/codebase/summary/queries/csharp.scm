; What a C# file defines, imports and insists on.
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(struct_declaration name: (identifier) @name body: (_) @body) @definition.struct
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @shape) @definition.enum
(record_declaration name: (identifier) @name body: (_) @body) @definition.record
(record_declaration name: (identifier) @name) @definition.record
(delegate_declaration name: (identifier) @name) @definition.type
(method_declaration name: (identifier) @name body: (_) @body) @definition.method
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(property_declaration name: (identifier) @name) @definition.property
((field_declaration (modifier) @_constant (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_constant "const"))

(using_directive) @import

(throw_statement (object_creation_expression)) @raise
(throw_expression (object_creation_expression)) @raise
((expression_statement (invocation_expression function: (_) @_check)) @assert
  (#match? @_check "(^Debug\\.Assert|^Contract\\.Requires|\\.ThrowIf\\w+)$"))
(type_parameter_constraints_clause) @constraint

;; references
(invocation_expression function: [(identifier) @reference (member_access_expression name: (identifier) @reference)])
(object_creation_expression type: (identifier) @reference)
(base_list (identifier) @reference)
(parameter type: (identifier) @reference)
(variable_declaration type: (identifier) @reference)
(generic_name (identifier) @reference)
