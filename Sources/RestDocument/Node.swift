// SPDX-License-Identifier: Apache-2.0

/// What a value of a document is.
public enum NodeKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// `null`.
    case null
    /// `true` or `false`.
    case boolean
    /// A number of any size and precision.
    case number
    /// Text.
    case string
    /// An ordered list.
    case array
    /// Members with keys.
    case object

    /// The kind's name.
    public var description: String { rawValue }

    /// The kind of a tape's node.
    package init(_ kind: TapeKind) {
        switch kind {
        case .null: self = .null
        case .false, .true: self = .boolean
        case .string, .escapedString: self = .string
        case .array: self = .array
        case .object: self = .object
        default: self = .number
        }
    }
}

/// One value of a document; it keeps the document alive.
public struct Node: Sendable {
    /// The document's bytes and nodes.
    public let storage: DocumentStorage
    /// Which of them.
    public let index: Int

    /// Makes the node at an index of a tape.
    package init(storage: DocumentStorage, index: Int) {
        self.storage = storage
        self.index = index
    }

    /// Calls a closure with a view of the value and keeps the document alive meanwhile.
    ///
    /// - Parameter body: Must not let the view, or another view made from it, escape.
    /// - Returns: What the closure returned.
    /// - Throws: What the closure threw.
    @inlinable @inline(__always)
    public func withView<R, E: Error>(_ body: (NodeView) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        return try body(storage.view(at: index))
    }

    /// What the value is.
    public var kind: NodeKind { withView { NodeKind($0.kind) } }

    /// Elements of an array, members of an object, 0 for any other value.
    ///
    /// Every occurrence of a repeated key counts.
    public var count: Int { withView { $0.count } }
}

// MARK: - Scalars

extension Node {
    /// Whether the value is `null`.
    public var isNull: Bool { withView { $0.isNull } }

    /// `true` or `false`; `nil` for any other value.
    public var bool: Bool? { withView { $0.bool } }

    /// The number, when its exact value is a whole one within `Int64`: `1`, `1.0` and `10e-1` are.
    public var int64: Int64? { withView { $0.int64 } }

    /// The number, when its exact value is a whole one within `UInt64`.
    public var uint64: UInt64? { withView { $0.uint64 } }

    /// The double nearest to the number; `nil` when it is beyond the range of `Double`.
    public var double: Double? { withView { $0.double } }

    /// The number as it was written.
    public var numberText: String? { withView { $0.numberText } }

    /// The text, unescaped.
    public var string: String? { withView { $0.string() } }
}

// MARK: - Containers

extension Node {
    /// The value of a key, the last one where the object repeats it.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(key: String) -> Node? {
        withView { view in view.member(key).map { Node(storage: storage, index: $0.index) } }
    }

    /// The element at a position of an array.
    ///
    /// - Complexity: O(*n*) in the position.
    public subscript(position: Int) -> Node? {
        withView { view in
            guard position >= 0, position < view.count else { return nil }
            var elements = view.elements
            for _ in 0..<position { _ = elements.next() }
            return elements.next().map { Node(storage: storage, index: $0.index) }
        }
    }

    /// The elements of an array, none for any other value.
    public var elements: Elements { Elements(self) }

    /// The members of an object in document order, repeated keys included; none for other values.
    public var members: Members { Members(self) }

    /// The elements of an array.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        private let storage: DocumentStorage
        private var index: Int
        private let end: Int

        fileprivate init(_ array: Node) {
            storage = array.storage
            index = array.index + 1
            end = array.withView { $0.isArray ? $0.contentEnd : $0.index + 1 }
        }

        /// The next element.
        public mutating func next() -> Node? {
            guard index < end else { return nil }
            let element = Node(storage: storage, index: index)
            index = element.withView { $0.nextIndex }
            return element
        }
    }

    /// The members of an object.
    public struct Members: Sequence, IteratorProtocol, Sendable {
        private let storage: DocumentStorage
        private var index: Int
        private let end: Int

        fileprivate init(_ object: Node) {
            storage = object.storage
            index = object.index + 1
            end = object.withView { $0.isObject ? $0.contentEnd : $0.index + 1 }
        }

        /// The next key and its value.
        public mutating func next() -> (key: String, value: Node)? {
            guard index < end else { return nil }
            let key = Node(storage: storage, index: index)
            let value = Node(storage: storage, index: index + 1)
            index = value.withView { $0.nextIndex }
            return (key.string ?? "", value)
        }
    }
}

extension Node: CustomStringConvertible, CustomDebugStringConvertible {
    /// What the value is and how many it holds, without any of them.
    public var description: String {
        withView { $0.kind.isContainer ? "\(kind) of \($0.count)" : "\(kind)" }
    }

    /// The value as compact JSON text.
    public var debugDescription: String { JSONWriter.compact.text(of: self) }
}
