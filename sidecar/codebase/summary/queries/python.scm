; What a Python file defines, imports and insists on.
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(function_definition name: (identifier) @name body: (_) @body) @definition.function
(module (expression_statement (assignment left: (identifier) @name) @definition.variable) (#not-match? @name "^__"))
(type_alias_statement left: (type (identifier) @name)) @definition.type

[(import_statement) (import_from_statement) (future_import_statement)] @import

(assert_statement) @assert
(raise_statement (_)) @raise
(module (expression_statement (assignment right: (call function: [(identifier) (attribute)] @_made
  (#match? @_made "(TypeVar|NewType|ParamSpec)$"))) @constraint))
(module (expression_statement (assignment right: (subscript value: [(identifier) (attribute)] @_of
  (#match? @_of "(Literal|Annotated)$"))) @constraint))

;; references
(call function: (identifier) @reference)
(call function: (attribute attribute: (identifier) @reference))
(type (identifier) @reference)
(class_definition superclasses: (argument_list (identifier) @reference))
(decorator (identifier) @reference)
