// SPDX-License-Identifier: Apache-2.0

extension NodeView {
    /// The path from the root of the document to this value, computed from the tape.
    ///
    /// The path of a key is the path of its value.
    ///
    /// - Complexity: O(*n*) in the number of preceding nodes in the enclosing containers.
    public var path: DocumentPath { at(0).paths(of: [index])[0] }

    /// Returns the paths from this value to values inside it, in one pass over the tape.
    ///
    /// - Parameter indices: Indices of values or keys inside this value, in ascending order.
    /// - Returns: A path for each index.
    /// - Complexity: O(*n*) in the number of nodes up to the last index, without subtrees that
    ///   contain no index, plus the length of the paths.
    public func paths(of indices: [Int]) -> [DocumentPath] {
        var result: [DocumentPath] = []
        result.reserveCapacity(indices.count)
        // The containers around the current node, each with the key or position last entered.
        var open: [(end: Int, isObject: Bool, position: Int, key: Int)] = []
        var current = index
        for wanted in indices {
            precondition(wanted >= current, "indices are not in ascending order")
            walk: while true {
                while let last = open.last, current >= last.end { open.removeLast() }
                var value = current
                if let last = open.last {
                    open[open.count - 1].position += 1
                    if last.isObject {
                        open[open.count - 1].key = current
                        value = current + 1
                    }
                }
                let view = at(value)
                if wanted <= value {
                    result.append(path(through: open))
                    // The next index may refer to the same node, so return to the state before it.
                    if !open.isEmpty { open[open.count - 1].position -= 1 }
                    break walk
                }
                if wanted < view.nextIndex {
                    open.append((view.nextIndex, view.isObject, -1, 0))
                    current = value + 1
                } else {
                    current = view.nextIndex
                    precondition(!open.isEmpty, "an index is outside of the value")
                }
            }
        }
        return result
    }

    private func path(
        through open: [(end: Int, isObject: Bool, position: Int, key: Int)]
    ) -> DocumentPath {
        DocumentPath(
            open.map { container in
                container.isObject
                    ? .key(at(container.key).string() ?? "") : .index(container.position)
            })
    }
}

extension Node {
    /// The path from the root of the document to this value, computed from the tape.
    public var path: DocumentPath { withView { $0.path } }

    /// Returns the value at a path; `nil` if a component does not match.
    ///
    /// Keys apply only to objects and positions only to arrays. To apply keys to the elements of
    /// arrays, use ``values(at:)``.
    public subscript(path: DocumentPath) -> Node? {
        var node = self
        for component in path.components {
            switch component {
            case .key(let key):
                guard let next = node[key] else { return nil }
                node = next
            case .index(let index):
                guard let next = node[index] else { return nil }
                node = next
            }
        }
        return node
    }

    /// Returns all values at a path whose keys also apply to every element of an array.
    ///
    /// `friends.name` over `{"friends": [{"name": "A"}, {}, {"name": "B"}]}` results in the two
    /// names. Elements without the key are skipped. Nested arrays are flattened, so that the result
    /// is one list in document order. An array at the end of the path is one value.
    public func values(at path: DocumentPath) -> [Node] {
        var values = [self]
        for component in path.components {
            switch component {
            case .index(let index):
                values = values.compactMap { $0[index] }
            case .key(let key):
                values = values.flatMap { $0.objects().compactMap { $0[key] } }
            }
        }
        return values
    }

    /// Returns the objects that this value is or contains as elements, with nested arrays flattened
    /// without recursion.
    private func objects() -> [Node] {
        guard kind == .array else { return [self] }
        return withView { view in
            var objects: [Node] = []
            var index = view.index + 1
            while index < view.contentEnd {
                let element = view.at(index)
                if element.isArray {
                    index += 1
                    continue
                }
                if element.isObject { objects.append(Node(storage: storage, index: index)) }
                index = element.nextIndex
            }
            return objects
        }
    }
}
