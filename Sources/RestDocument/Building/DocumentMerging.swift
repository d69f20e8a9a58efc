// SPDX-License-Identifier: Apache-2.0

extension Document {
    /// Returns this document merged with another one, whose values take precedence.
    ///
    /// Objects are merged member by member at every depth. Any other pair of values, also two
    /// arrays, is replaced by the value of the other document. Members keep the order of this
    /// document; members that only the other document has follow.
    ///
    /// - Complexity: O(*n*) in the size of both documents, in expectation. The recursion is as deep
    ///   as the objects that both documents share.
    public func merging(_ other: Document) -> Document {
        var builder = DocumentBuilder()
        builder.merge(root, other.root)
        return builder.finish()
    }
}

extension DocumentBuilder {
    fileprivate mutating func merge(_ first: Node, _ second: Node) {
        guard first.kind == .object, second.kind == .object else { return value(second) }
        let base = DistinctMembers(first)
        let overrides = DistinctMembers(second)
        beginObject()
        for (name, node) in base {
            key(name)
            if let other = overrides[name] { merge(node, other) } else { value(node) }
        }
        for (name, node) in overrides where base[name] == nil {
            key(name)
            value(node)
        }
        end()
    }
}
