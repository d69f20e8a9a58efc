// SPDX-License-Identifier: Apache-2.0

extension NodeView {
    /// The way from the document's root to this value, rebuilt from the tape.
    ///
    /// A key's path is that of its value.
    ///
    /// - Complexity: O(*n*) in the number of nodes before this one that are in containers around it.
    public var path: DocumentPath { at(0).paths(of: [index])[0] }

    /// The ways from this value to values inside it, in one pass over the tape.
    ///
    /// - Parameter indices: Indices of values or keys, in ascending order, all inside this value.
    /// - Returns: A path for each index.
    /// - Complexity: O(*n*) in the number of nodes up to the last one, less subtrees without any,
    ///   plus the length of the paths.
    public func paths(of indices: [Int]) -> [DocumentPath] {
        var result: [DocumentPath] = []
        result.reserveCapacity(indices.count)
        // Containers around the current place: each with the key or position last entered.
        var open: [(end: Int, isObject: Bool, position: Int, key: Int)] = []
        var current = index
        for wanted in indices {
            precondition(wanted >= current, "indices in ascending order")
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
                    // Another index may name the same place: stand before it again.
                    if !open.isEmpty { open[open.count - 1].position -= 1 }
                    break walk
                }
                if wanted < view.nextIndex {
                    open.append((view.nextIndex, view.isObject, -1, 0))
                    current = value + 1
                } else {
                    current = view.nextIndex
                    precondition(!open.isEmpty, "an index inside the value")
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
    /// The way from the document's root to this value, rebuilt from the tape.
    public var path: DocumentPath { withView { $0.path } }

    /// The value a path leads to; `nil` where a step does not fit.
    ///
    /// A key leads into objects only and a position into arrays only. ``values(at:)`` spreads keys
    /// over the elements of arrays.
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

    /// All values a path leads to when a key that meets an array goes on into every element.
    ///
    /// `friends.name` over `{"friends": [{"name": "A"}, {}, {"name": "B"}]}` gives the two names.
    /// Elements without the key are left out; arrays inside arrays are spread as well, so that the
    /// result is one flat list in document order. An array at the end of the path is one value.
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

    /// The objects this value is or consists of, arrays in arrays spread without recursion.
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
