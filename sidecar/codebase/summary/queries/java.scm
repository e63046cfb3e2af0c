; What a Java file defines, imports and insists on.
(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @shape) @definition.enum
(record_declaration name: (identifier) @name body: (_) @body) @definition.record
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.annotation
(method_declaration name: (identifier) @name body: (_) @body) @definition.method
(method_declaration name: (identifier) @name !body) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
((field_declaration (modifiers) @_constant declarator: (variable_declarator name: (identifier) @name)) @definition.constant
  (#match? @_constant "static") (#match? @_constant "final"))

(import_declaration) @import

(assert_statement) @assert
(throw_statement (object_creation_expression)) @raise
((expression_statement (method_invocation name: (identifier) @_check)) @assert
  (#match? @_check "^(requireNonNull|checkNotNull|checkArgument|checkState|isTrue|notNull|requireNonNullElse)$"))

;; references
(method_invocation name: (identifier) @reference)
(type_identifier) @reference
