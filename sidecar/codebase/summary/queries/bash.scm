; What a shell script defines, sources and insists on.
(function_definition name: (word) @name body: (_) @body) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @definition.variable)

((command name: (command_name) @_source . argument: (_) @import) (#any-of? @_source "source" "."))

((command name: (command_name) @_set argument: (word) @_strict) @assert
  (#eq? @_set "set") (#match? @_strict "^-[a-z]*[eu]"))
((expansion) @assert (#match? @assert "\\?"))
((command name: (command_name) @_exit argument: (_) @_status) @raise
  (#any-of? @_exit "exit" "return" "die" "fail") (#not-eq? @_status "0"))

;; references
(command name: (command_name (word) @reference))
