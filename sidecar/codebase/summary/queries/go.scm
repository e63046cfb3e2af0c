; What a Go file defines, imports and insists on.
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @container
  (pointer_type [(type_identifier) @container (generic_type type: (_) @container)])
  (generic_type type: (_) @container)]))
  name: (field_identifier) @name body: (_) @body) @definition.method
(type_declaration (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @shape)) @definition.struct)
(type_declaration "type" . (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @shape))) @definition.struct
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type) @shape) @definition.interface)
(type_declaration "type" . (type_spec name: (type_identifier) @name type: (interface_type) @shape)) @definition.interface
(type_declaration (type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (function_type) (map_type)
  (slice_type) (array_type) (channel_type) (pointer_type) (generic_type)]) @definition.type)
(type_declaration "type" . (type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (function_type)
  (map_type) (slice_type) (array_type) (channel_type) (pointer_type) (generic_type)])) @definition.type
(type_declaration "type" . (type_alias name: (type_identifier) @name)) @definition.type
(interface_type (method_elem name: (field_identifier) @name) @definition.method)
(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant) (#not-eq? @name "_"))
(source_file (const_declaration "const" . (const_spec name: (identifier) @name)) @definition.constant (#not-eq? @name "_"))
(source_file (var_declaration (var_spec name: (identifier) @name)) @definition.variable (#not-eq? @name "_"))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @definition.variable)) (#not-eq? @name "_"))

(import_spec path: (_) @import)

((call_expression function: (identifier) @_panic) @raise (#eq? @_panic "panic"))
((return_statement (expression_list (call_expression function: (selector_expression) @_made) .)) @raise
  (#any-of? @_made "errors.New" "fmt.Errorf"))
(type_elem (_) . (_)) @constraint

;; references
(call_expression function: (identifier) @reference)
(call_expression function: (selector_expression field: (field_identifier) @reference))
(type_identifier) @reference
