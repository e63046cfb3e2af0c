; What a Ruby file defines, requires and insists on.
(class name: [(constant) @name (scope_resolution name: (_) @name)] body: (_) @body) @definition.class
(class name: [(constant) @name (scope_resolution name: (_) @name)] !body) @definition.class
(module name: [(constant) @name (scope_resolution name: (_) @name)] body: (_) @body) @definition.module
(method name: (_) @name body: (_) @body) @definition.method
(method name: (_) @name !body) @definition.method
(singleton_method name: (_) @name body: (_) @body) @definition.method
(singleton_method name: (_) @name !body) @definition.method
(assignment left: (constant) @name) @definition.constant
((call method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)) @definition.property
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor"))

(body_statement (identifier) @access (#any-of? @access "private" "public" "protected"))
((call method: (identifier) @_require arguments: (argument_list (string))) @import
  (#any-of? @_require "require" "require_relative" "load" "autoload"))

((call !receiver method: (identifier) @_raise) @raise (#any-of? @_raise "raise" "fail"))
((call !receiver method: (identifier) @_validates) @assert (#match? @_validates "^validates?(_\\w+)?$"))

;; references
(call method: (identifier) @reference)
(constant) @reference
