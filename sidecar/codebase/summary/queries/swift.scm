; What a Swift file defines, imports and insists on.
(class_declaration name: [(type_identifier) @name (user_type (type_identifier) @name .)] body: (_) @body) @definition.class
(protocol_declaration name: (type_identifier) @name body: (_) @body) @definition.protocol
; Without captures of its own, the name and the body are the fields so called: a pattern takes a third of a second here.
(function_declaration) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.method
(init_declaration "init" @name body: (_) @body) @definition.constructor
(typealias_declaration name: (type_identifier) @name) @definition.type
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)

(import_declaration) @import

((call_expression . (simple_identifier) @_check) @assert
  (#any-of? @_check "precondition" "assert" "preconditionFailure" "assertionFailure"))
((call_expression . (simple_identifier) @_stop) @raise (#eq? @_stop "fatalError"))
(control_transfer_statement (throw_keyword)) @raise

;; references
(call_expression . (simple_identifier) @reference)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference)))
(type_identifier) @reference
