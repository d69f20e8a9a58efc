// SPDX-License-Identifier: Apache-2.0

package import RestDocument

/// Looks up sources that are not chains of keys.
///
/// A lookup that combines several values returns a small document of its own, which the run keeps as
/// long as its step needs it.
///
/// Not Sendable: lives on the stack of one run.
final class SourceResolver {
    /// The key of a member that is mapped as an object with that key alone, or an object that is
    /// mapped as the list of its members.
    struct MemberKey {
        let storage: DocumentStorage
        let index: Int
    }

    /// The values that a lookup has reached.
    enum Position {
        case one(Node)
        /// The values found in the elements of a list.
        case list([Node])

        /// A Boolean value that indicates whether there are only nulls and empty lists.
        var isEmpty: Bool {
            func isEmpty(_ node: Node) -> Bool {
                node.isNull || node.kind == .array && node.elements.allSatisfy(isEmpty)
            }
            return switch self {
            case .one(let node): isEmpty(node)
            case .list(let nodes): nodes.allSatisfy(isEmpty)
            }
        }
    }

    /// The storage of the run's own document.
    private let storage: DocumentStorage
    /// The index of the value the run began with.
    private let start: Int
    private let environment: MappingEnvironment
    /// The keys of the nested objects around the current value, outermost first.
    var nestingKeys: [String] = []
    /// The member that is being mapped.
    var memberKey: MemberKey?
    /// The objects around the current value that are mapped as the lists of their members, outermost
    /// first.
    var memberLists: [MemberKey] = []
    /// The other documents that current values belong to, each with the index in the run's own document
    /// of the value it was looked up for.
    private var foreignDocuments: [(storage: DocumentStorage, location: Int)] = []
    private var ancestors = AncestorStack()
    /// The value that an operator of the last lookup cannot use; `nil` if there is none.
    var unsuitableValue: UnsuitableValue?

    init(_ root: Node, _ environment: MappingEnvironment) {
        storage = root.storage
        start = root.index
        self.environment = environment
    }

    /// Returns the value that a source leads to from a representation; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - source: The path.
    ///   - node: The representation it begins at.
    ///   - omittingNulls: Whether nulls found in the elements of a list are omitted.
    ///   - keepingEmptiness: Whether null on the way is the value, and an empty list on the way an empty
    ///     list. Otherwise there is no value, as for a key that is absent.
    /// - Returns: The value, or a list of what the elements of a list have; for an operator that cannot
    ///   use a value, that value, which ``unsuitableValue`` describes.
    /// - Complexity: O(*n*) in the number of members and elements visited.
    func value(
        at source: SourcePath, of node: Node, omittingNulls: Bool = false,
        keepingEmptiness: Bool = false
    ) -> Node? {
        unsuitableValue = nil
        var components = source.components[...]
        var origin = node
        while components.first == .parent {
            guard let outer = parent(of: origin) else { return nil }
            origin = outer
            components.removeFirst()
        }
        var position = Position.one(representation(origin))
        while let component = components.popFirst() {
            switch component {
            case .metadata: return metadata(Array(components), of: node)
            case .root: position = .one(representation(root(of: node)))
            case .parent: return nil
            case .key(let key):
                if keepingEmptiness, case .one(let node) = position, node.isNull { return node }
                if let next = step(to: key, from: position) {
                    position = next
                } else {
                    guard keepingEmptiness, position.isEmpty else { return nil }
                    position = .list([])
                }
            case .placeholder:
                guard let next = stepToNestingKey(from: position) else { return nil }
                position = next
            case .index(let index):
                switch position {
                case .one(let node):
                    guard let next = node[index] else { return nil }
                    position = .one(next)
                case .list(let nodes):
                    position = .list(nodes.compactMap { $0[index] })
                }
            case .collected(let collection):
                return collected(by: collection, SourcePath(Array(components)), of: position)
            }
        }
        switch position {
        case .one(let node): return node
        case .list(let nodes):
            return Self.list(of: omittingNulls ? nodes.filter { !$0.isNull } : nodes)
        }
    }

    /// Returns the value itself; for the key of a single-member object, that object.
    func representation(_ node: Node) -> Node {
        guard isMemberKey(node) else { return node }
        var builder = DocumentBuilder()
        builder.beginObject()
        builder.key(node.string ?? "")
        builder.value(Node(storage: node.storage, index: node.index + 1))
        builder.end()
        return builder.finish().root
    }

    /// A key leads into an object, and into all objects of a list however deep it is nested.
    private func step(to key: String, from position: Position) -> Position? {
        switch position {
        case .one(let node) where node.kind == .array:
            return step(to: key, from: .list(Array(node.elements)))
        case .one(let node):
            return node[key].map(Position.one)
        case .list(let nodes):
            let path = DocumentPath([.key(key)])
            let found = nodes.flatMap { $0.values(at: path) }
            return found.isEmpty ? nil : .list(found)
        }
    }

    /// The value of the innermost nesting key.
    ///
    /// Not inlined: the optimizer would move the access to the keys, and its check for exclusivity, in
    /// front of every lookup.
    @inline(never)
    private func stepToNestingKey(from position: Position) -> Position? {
        nestingKeys.last.flatMap { step(to: $0, from: position) }
    }

    static func list(of nodes: [Node]) -> Node {
        var builder = DocumentBuilder()
        builder.beginArray()
        for node in nodes { builder.value(node) }
        builder.end()
        return builder.finish().root
    }

    /// Returns the value in the metadata; the run's own values precede the caller's documents.
    private func metadata(_ components: [SourcePath.Component], of node: Node) -> Node? {
        if components == [.key("mapping"), .key("collectionIndex")] {
            if let position = collectionIndex(of: node) {
                return Document(integerLiteral: Int64(position)).root
            }
            // A single related object is in no collection, even if its parent is in one.
            if isRelated(node) { return Document(nilLiteral: ()).root }
        }
        if components == [.key("mapping"), .key("rootKeyPath")], let path = environment.rootKeyPath
        {
            return Document(stringLiteral: path.description).root
        }
        let source = SourcePath(components)
        for document in environment.metadata {
            if let value = value(at: source, of: document.root) { return value }
        }
        return nil
    }
}

// MARK: - Other documents

extension SourceResolver {
    /// Begins to map a value of another document that was looked up for a value of the current one.
    func enter(_ storage: DocumentStorage, from view: NodeView) {
        foreignDocuments.append((storage, location(of: view)))
    }

    func leave() { foreignDocuments.removeLast() }

    private func foreignDocument(of view: NodeView) -> (storage: DocumentStorage, location: Int)? {
        if view.isOf(storage) { return nil }
        return foreignDocuments.last { view.isOf($0.storage) }
    }

    /// Returns a value with its document.
    func node(at view: NodeView) -> Node {
        Node(storage: foreignDocument(of: view)?.storage ?? storage, index: view.index)
    }

    /// Returns the index in the run's own document of a value, or of the value it was looked up for.
    func location(of view: NodeView) -> Int { foreignDocument(of: view)?.location ?? view.index }

    func isMemberKey(_ view: NodeView) -> Bool {
        memberKey.map { $0.index == view.index && view.isOf($0.storage) } ?? false
    }

    private func isMemberKey(_ node: Node) -> Bool {
        guard let memberKey else { return false }
        return node.index == memberKey.index && node.storage === memberKey.storage
            && node.kind == .string
    }
}

// MARK: - Ancestors

extension SourceResolver {
    /// The containers around a value, outermost first, within the value that the run began with.
    private func containers(around node: Node) -> [AncestorStack.Container] {
        guard node.storage === storage else {
            var ancestors = AncestorStack()
            Document(storage: node.storage).withView { ancestors.move(to: node.index, in: $0) }
            return ancestors.containers
        }
        // Only the value of a member has a position, not its key.
        let isKey = memberKey?.index == node.index && memberKey?.storage === storage
        ancestors.move(to: isKey ? node.index + 1 : node.index, in: storage.view(at: 0))
        return ancestors.containers.filter { $0.index >= start }
    }

    /// The value in the run's own document that a value of another document was looked up for.
    private func origin(of node: Node) -> Node? {
        guard node.storage !== storage,
            let location = foreignDocuments.last(where: { $0.storage === node.storage })?.location
        else { return nil }
        return Node(storage: storage, index: location)
    }

    /// The containers around a value, where an object that is mapped as the list of its members is a
    /// list.
    private func mappedContainers(around node: Node) -> [AncestorStack.Container] {
        containers(around: node).map { container in
            let isList = memberLists.contains {
                $0.index == container.index && $0.storage === node.storage
            }
            return isList ? container.asList : container
        }
    }

    /// The object around a value, or the key of the member around it; `nil` for a representation the
    /// run began with.
    private func parent(of node: Node) -> Node? {
        if let object = mappedContainers(around: node).last(where: \.isObject) {
            return Node(storage: node.storage, index: object.index)
        }
        return origin(of: node)
    }

    /// The representation the run began with that a value is or is in.
    private func root(of node: Node) -> Node {
        if let origin = origin(of: node) { return root(of: origin) }
        guard let outermost = containers(around: node).first(where: \.isObject) else {
            return node
        }
        return Node(storage: storage, index: outermost.index)
    }

    /// The position of an element in its list; `nil` for any other value.
    private func collectionIndex(of node: Node) -> Int? {
        let containers = mappedContainers(around: node)
        guard let last = containers.last, !last.isObject else {
            return node.storage === storage ? environment.collectionIndex : nil
        }
        return containers.count == 1 ? environment.firstElement + last.position : last.position
    }

    /// Returns a Boolean value that indicates whether a value belongs to an object inside the one that
    /// the run began with.
    private func isRelated(_ node: Node) -> Bool {
        node.storage !== storage || containers(around: node).contains(where: \.isObject)
    }
}

// MARK: - Key paths of documents

extension Node {
    /// Returns the value at a key path; `nil` if there is none.
    ///
    /// A key that meets a list continues in its elements, and the values found there become a list in a
    /// document of its own, without the nulls among them. The empty path returns the node itself.
    ///
    /// - Parameter source: The key path.
    /// - Returns: The value, which may be null.
    package func value(at source: SourcePath) -> Node? {
        value(at: source, in: MappingEnvironment())
    }

    func value(at source: SourcePath, in environment: MappingEnvironment) -> Node? {
        if source.components.isEmpty { return self }
        return SourceResolver(self, environment).value(at: source, of: self, omittingNulls: true)
    }
}
