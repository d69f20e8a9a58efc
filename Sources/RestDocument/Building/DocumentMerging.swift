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
        let overrides = LastMembers(second)
        let base = LastMembers(first)
        beginObject()
        for key in base.keys {
            self.key(key)
            switch (base.values[key], overrides.values[key]) {
            case (let node?, let other?): merge(node, other)
            case (let node?, nil), (nil, let node?): value(node)
            case (nil, nil): null()
            }
        }
        for key in overrides.keys where base.values[key] == nil {
            guard let node = overrides.values[key] else { continue }
            self.key(key)
            value(node)
        }
        end()
    }
}

/// The members of an object.
///
/// A repeated key has its last value, at the position of its first.
private struct LastMembers {
    var keys: [String] = []
    var values: [String: Node] = [:]

    init(_ object: Node) {
        for (key, node) in object.members where values.updateValue(node, forKey: key) == nil {
            keys.append(key)
        }
    }
}
