; What a Rust file defines, imports and insists on.
(function_item name: (identifier) @name body: (_) @body) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name body: (field_declaration_list) @shape) @definition.struct
(struct_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @shape) @definition.enum
(union_item name: (type_identifier) @name body: (_) @shape) @definition.union
(trait_item name: (type_identifier) @name body: (_) @body) @definition.trait
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name) (reference_type type: (type_identifier) @name)] body: (_) @body) @definition.impl
(mod_item name: (identifier) @name body: (_) @body) @definition.module
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.macro

(source_file (macro_invocation (token_tree)) @opaque)
(source_file (expression_statement (macro_invocation (token_tree)) @opaque))
(mod_item body: (declaration_list (macro_invocation (token_tree)) @opaque))

(use_declaration) @import
(mod_item name: (identifier) !body) @import
(extern_crate_declaration) @import

((macro_invocation macro: (_) @_macro) @assert
  (#any-of? @_macro "assert" "assert_eq" "assert_ne" "debug_assert" "debug_assert_eq" "debug_assert_ne" "ensure" "anyhow::ensure" "const_assert"))
((macro_invocation macro: (_) @_macro) @raise (#any-of? @_macro "panic" "bail" "anyhow::bail" "compile_error"))
((return_expression (call_expression function: (identifier) @_err)) @raise (#eq? @_err "Err"))
((call_expression function: (field_expression field: (field_identifier) @_expect)
  arguments: (arguments (string_literal))) @assert (#eq? @_expect "expect"))

;; references
(call_expression function: (identifier) @reference)
(call_expression function: (field_expression field: (field_identifier) @reference))
(call_expression function: (scoped_identifier name: (identifier) @reference))
(macro_invocation macro: (identifier) @reference)
(type_identifier) @reference
