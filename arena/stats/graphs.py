"""Who is linked with whom: groups, orders and cycles of small dense graphs, without scipy, which is slow to load.

Nodes are the numbers 0 .. n - 1, edges two arrays: where they start and where they end.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from arena.stats.frames import Floats, Ints


def _ahead(n: int, start: Ints, end: Ints) -> list[int]:
    """For each node the set of nodes that its edges lead to, as the bits of a number."""
    edges = np.zeros((n, n), dtype=bool)
    edges[start, end] = True
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(edges, axis=1, bitorder="little")]


def _bits(nodes: int) -> Iterable[int]:
    while nodes:
        lowest = nodes & -nodes
        nodes ^= lowest
        yield lowest.bit_length() - 1


def strong_groups(n: int, start: Ints, end: Ints) -> Ints:
    """The number of each node's group: nodes that can be reached from one another. Kosaraju's algorithm.

    >>> strong_groups(4, np.array([0, 1, 2]), np.array([1, 0, 3])).tolist()
    [2, 2, 0, 1]
    """
    ahead, behind = _ahead(n, start, end), _ahead(n, end, start)
    left, finished = (1 << n) - 1, []
    while left:
        stack = [(left & -left).bit_length() - 1]
        left ^= 1 << stack[-1]
        while stack:
            further = ahead[stack[-1]] & left
            if further:
                stack.append((further & -further).bit_length() - 1)
                left ^= 1 << stack[-1]
            else:
                finished.append(stack.pop())
    left, group, count = (1 << n) - 1, np.empty(n, dtype=np.int64), 0
    for root in reversed(finished):
        if not left >> root & 1:
            continue
        left ^= 1 << root
        members = [root]
        while members:
            node = members.pop()
            group[node] = count
            members += _bits(behind[node] & left)
            left &= ~behind[node]
        count += 1
    return group


def groups(n: int, start: Ints, end: Ints) -> Ints:
    """The number of each node's group: nodes that are linked by edges, whichever way these lead."""
    return strong_groups(n, np.concatenate([start, end]), np.concatenate([end, start]))


def outwards(n: int, start: Ints, end: Ints, roots: Ints) -> list[int]:
    """The nodes that edges lead to from the roots, without these, in topological order. The graph has no cycles."""
    ahead = _ahead(n, start, end)
    reached, todo = 0, sum(1 << root for root in roots.tolist())
    while todo:
        reached |= todo
        todo = _union(ahead[node] for node in _bits(todo)) & ~reached
    left = reached
    order: list[int] = []
    while left:
        ready = left & ~_union(ahead[node] for node in _bits(left))
        order += _bits(ready)
        left ^= ready
    known = set(roots.tolist())
    return [node for node in order if node not in known]


def _union(sets: Iterable[int]) -> int:
    found = 0
    for one in sets:
        found |= one
    return found


def has_negative_cycle(weight: Floats) -> bool:
    """Whether the graph with these weights of edges (inf: no edge), shape (n, n), has a cycle of negative weight.

    Bellman and Ford's algorithm from all nodes at once.

    >>> has_negative_cycle(np.array([[np.inf, 1.0], [-1.0, np.inf]]))
    False
    >>> has_negative_cycle(np.array([[np.inf, 1.0], [-2.0, np.inf]]))
    True
    """
    distance = np.zeros(len(weight))
    for _ in range(len(weight)):
        shorter = np.minimum(distance, (distance[:, None] + weight).min(axis=0, initial=np.inf))
        if (shorter >= distance).all():
            return False
        distance = shorter
    return len(weight) > 0
