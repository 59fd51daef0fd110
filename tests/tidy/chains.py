# SPDX-License-Identifier: Apache-2.0
"""Orders headers into few chains, so that one compilation proves all headers of a chain.

In a chain each header is included, directly or not, by the one behind it. When it is compiled in
this order, the first header stands alone, and each other one finds before it only what it includes
itself.
"""


def reach(includes):
    """For each header the set of headers that it includes, directly or not."""
    out = {}

    def of(header):
        if header not in out:
            out[header] = set()  # An endless ring of includes ends here.
            out[header] = set().union(*({each} | of(each) for each in includes.get(header, ())))
        return out[header]

    for header in includes:
        of(header)
    return out


def chains(headers, includes):
    """The headers in as few chains as possible, each a list that begins with the innermost one.

    `includes` has for each header of the project those that it names. The chains are the least
    cover of a partial order by paths, found by the greatest matching of headers with their
    predecessors (Fulkerson 1956).
    """
    reached = reach(includes)
    wanted = set(headers)
    inner = {header: sorted(reached.get(header, set()) & wanted - {header}) for header in headers}
    outer_of = {}

    def match(header, seen):
        for each in inner[header]:
            if each in seen:
                continue
            seen.add(each)
            if each not in outer_of or match(outer_of[each], seen):
                outer_of[each] = header
                return True
        return False

    for header in headers:
        match(header, set())
    inner_of = {outer: each for each, outer in outer_of.items()}
    out = []
    for header in headers:
        if header in outer_of:
            continue
        chain = [header]
        while chain[-1] in inner_of:
            chain.append(inner_of[chain[-1]])
        out.append(chain[::-1])
    return out
