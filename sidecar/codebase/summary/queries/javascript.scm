; What a JavaScript file defines, imports and insists on. TypeScript adds to it.
(class_declaration name: (_) @name body: (_) @body) @definition.class
(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(method_definition name: (_) @name body: (_) @body) @definition.method
(class_body (field_definition property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method)
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function)
(program (variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])) @definition.function)
(program [(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)))
  (variable_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)))] @definition.class)
(program (lexical_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]))) @definition.function
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body)))) @definition.class
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name))) @definition.variable
(export_statement "default" @name value: (class !name body: (_) @body)) @definition.class
(export_statement declaration: (class_declaration name: (_) @name body: (_) @body)) @definition.class
(export_statement declaration: (function_declaration name: (identifier) @name body: (_) @body)) @definition.function
(export_statement declaration: (generator_function_declaration name: (identifier) @name body: (_) @body)) @definition.function
(program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body) (function_expression !name body: (_) @body)]) @definition.function))
((program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (function_expression name: (_) body: (_) @body)) @definition.function)) (#not-eq? @name "exports"))
((program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (function_expression name: (_) @name @exported body: (_) @body)) @definition.function)) (#eq? @_exports "exports"))
(program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name) right: (class !name body: (_) @body)) @definition.class))
((program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name) right: (class name: (_) body: (_) @body)) @definition.class))
  (#not-eq? @name "exports"))
((program (expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @_exports)
  right: (class name: (_) @name @exported body: (_) @body)) @definition.class)) (#eq? @_exports "exports"))
(program (expression_statement (assignment_expression
  left: (identifier) right: (class name: (_) @name body: (_) @body)) @definition.class))
((program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [
    (pair key: [(property_identifier) @name @exported (string (string_fragment) @name @exported)]
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
    (method_definition name: (property_identifier) @name @exported body: (_) @body)] @definition.function))))
  (#eq? @_module "module") (#eq? @_exports "exports"))
((program (expression_statement (call_expression
  function: (member_expression object: (identifier) @_object property: (property_identifier) @_assign)
  arguments: (arguments . (_) @_given (object [
    (pair key: [(property_identifier) @name @exported (string (string_fragment) @name @exported)]
      value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
    (method_definition name: (property_identifier) @name @exported body: (_) @body)] @definition.function)))))
  (#eq? @_object "Object") (#eq? @_assign "assign") (#match? @_given "^(module\\.)?exports$"))
((program (expression_statement (assignment_expression
  left: (subscript_expression object: (_) @_given index: (string (string_fragment) @name @exported))
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.function))
  (#match? @_given "^(module\\.)?exports$"))
((program (expression_statement (assignment_expression
  left: (subscript_expression object: (_) @_given index: (string (string_fragment) @name @exported))
  right: (class body: (_) @body)) @definition.class)) (#match? @_given "^(module\\.)?exports$"))
((call_expression function: (identifier) @_told arguments: (arguments . (string (string_fragment) @name))) @definition.test
  (#any-of? @_told "describe" "it" "test" "suite"))

(export_specifier name: (identifier) @exported)
(export_statement value: (identifier) @exported)
(export_statement value: (call_expression arguments: (arguments (identifier) @exported)))
((assignment_expression left: (_) @_given right: (call_expression arguments: (arguments (identifier) @exported)))
  (#match? @_given "^module\\.exports$"))
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @exported (object [(shorthand_property_identifier) @exported (pair value: (identifier) @exported)])]
  (#eq? @_module "module") (#eq? @_exports "exports"))

((assignment_expression left: (member_expression object: [(identifier) (member_expression)] @_given) right: (identifier) @exported)
  (#match? @_given "^(module\\.)?exports$"))
((assignment_expression left: (subscript_expression object: (_) @_given) right: (identifier) @exported)
  (#match? @_given "^(module\\.)?exports$"))
((call_expression function: (member_expression object: (identifier) @_object property: (property_identifier) @_assign)
  arguments: (arguments . (_) @_given (object [(shorthand_property_identifier) @exported (pair value: (identifier) @exported)])))
  (#eq? @_object "Object") (#eq? @_assign "assign") (#match? @_given "^(module\\.)?exports$"))
((variable_declarator name: (identifier) @exported value: (assignment_expression left: (_) @_given))
  (#match? @_given "^(module\\.)?exports$"))

(import_statement source: (string) @import)
(export_statement source: (string) @import)
((call_expression function: (identifier) @_require arguments: (arguments . (string) @import)) (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import))

((expression_statement (call_expression function: [(identifier) (member_expression)] @_check)) @assert
  (#match? @_check "^(console\\.)?(assert|invariant)(\\.\\w+)?$"))
(throw_statement (_)) @raise

;; references
(call_expression function: (identifier) @reference)
(call_expression function: (member_expression property: (property_identifier) @reference))
(new_expression constructor: (identifier) @reference)
(class_heritage (identifier) @reference)
(jsx_opening_element name: (identifier) @reference)
(jsx_self_closing_element name: (identifier) @reference)
