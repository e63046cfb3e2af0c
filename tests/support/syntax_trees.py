"""Walk of syntax trees in half the time of `ast.walk`, for the rules that read every source of the product."""

import ast
from collections.abc import Iterator


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of a tree in the order of `ast.walk`, without the contexts of names."""
    nodes = [tree]
    for node in nodes:
        yield node
        for value in vars(node).values():
            if isinstance(value, list):
                nodes += [part for part in value if isinstance(part, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                nodes.append(value)
