// SPDX-License-Identifier: Apache-2.0

/// The kind of a JSON value.
public enum NodeKind: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The value `null`.
    case null
    /// A Boolean value.
    case boolean
    /// A number of any size and precision.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object

    /// The name of the kind.
    public var description: String { rawValue }

    /// Creates the kind that corresponds to a kind of tape node.
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

/// A value of a document.
///
/// It keeps the document alive.
public struct Node: Sendable {
    /// The input and the tape of the document.
    @usableFromInline package let storage: DocumentStorage
    /// The index of the value on the tape.
    public let index: Int

    /// Creates the value at an index of a tape.
    package init(storage: DocumentStorage, index: Int) {
        self.storage = storage
        self.index = index
    }

    /// Calls a closure with a view of the value, and keeps the document alive during the call.
    ///
    /// - Parameter body: The closure. The view, and all views made from it, must not escape.
    /// - Returns: The result of the closure.
    /// - Throws: The error that the closure throws.
    @inlinable @inline(__always)
    public func withView<R, E: Error>(_ body: (NodeView) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        return try body(storage.view(at: index))
    }

    /// The kind of the value.
    public var kind: NodeKind { withView { NodeKind($0.kind) } }

    /// The number of elements of an array or members of an object; 0 for any other value.
    ///
    /// Every occurrence of a repeated key counts.
    public var count: Int { withView { $0.count } }
}

// MARK: - Scalars

extension Node {
    /// A Boolean value that indicates whether the value is `null`.
    public var isNull: Bool { withView { $0.isNull } }

    /// The Boolean value; `nil` for any other value.
    public var bool: Bool? { withView { $0.bool } }

    /// The number, if its exact value is an integer within `Int64`, as are `1`, `1.0` and `10e-1`;
    /// otherwise `nil`.
    public var int64: Int64? { withView { $0.int64 } }

    /// The number, if its exact value is an integer within `UInt64`; otherwise `nil`.
    public var uint64: UInt64? { withView { $0.uint64 } }

    /// The double nearest to the number; `nil` for a number beyond the range of `Double` and for
    /// any other value.
    public var double: Double? { withView { $0.double } }

    /// The number as written in the input; `nil` for any other value.
    public var numberText: String? { withView { $0.numberText } }

    /// The unescaped text of a string; `nil` for any other value.
    public var string: String? { withView { $0.string() } }
}

// MARK: - Containers

extension Node {
    /// Returns the value of a key, the last one if the object repeats it; `nil` without the key.
    ///
    /// - Complexity: O(*n*) in the number of members.
    public subscript(key: String) -> Node? {
        withView { view in view.member(key).map { Node(storage: storage, index: $0.index) } }
    }

    /// Returns the element at a position of an array; `nil` beyond its bounds.
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

    /// The elements of an array; empty for any other value.
    public var elements: Elements { Elements(self) }

    /// The members of an object in document order, with repeated keys; empty for any other value.
    public var members: Members { Members(self) }

    /// A sequence of the elements of an array.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        private let storage: DocumentStorage
        private var index: Int
        private let end: Int

        fileprivate init(_ array: Node) {
            storage = array.storage
            index = array.index + 1
            end = array.withView { $0.isArray ? $0.contentEnd : $0.index + 1 }
        }

        /// Returns the next element.
        public mutating func next() -> Node? {
            guard index < end else { return nil }
            let element = Node(storage: storage, index: index)
            index = element.withView { $0.nextIndex }
            return element
        }
    }

    /// A sequence of the members of an object.
    public struct Members: Sequence, IteratorProtocol, Sendable {
        private let storage: DocumentStorage
        private var index: Int
        private let end: Int

        fileprivate init(_ object: Node) {
            storage = object.storage
            index = object.index + 1
            end = object.withView { $0.isObject ? $0.contentEnd : $0.index + 1 }
        }

        /// Returns the next key and its value.
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
    /// The kind of the value and the number of its elements or members, without their content.
    public var description: String {
        withView { $0.kind.isContainer ? "\(kind) of \($0.count)" : "\(kind)" }
    }

    /// The value as compact JSON text.
    public var debugDescription: String { JSONWriter.compact.text(of: self) }
}
