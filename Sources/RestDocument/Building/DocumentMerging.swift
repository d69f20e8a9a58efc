// SPDX-License-Identifier: Apache-2.0

extension Document {
    /// This document with another put over it.
    ///
    /// Members of objects are merged at every depth; where both have a value that is not an object
    /// in both, the other's counts, lists as a whole. Members keep this document's order, those only
    /// the other has come last.
    ///
    /// - Complexity: O(*n*) in the size of both documents, in expectation; recursion ends at the
    ///   depth that both have in common.
    public func merging(_ other: Document) -> Document {
        var builder = DocumentBuilder()
        builder.merge(root, other.root)
        return builder.finish()
    }
}

extension DocumentBuilder {
    fileprivate mutating func merge(_ first: Node, _ second: Node) {
        guard first.kind == .object, second.kind == .object else { return value(second) }
        let over = LastMembers(second)
        let under = LastMembers(first)
        beginObject()
        for key in under.keys {
            self.key(key)
            switch (under.values[key], over.values[key]) {
            case (let node?, let other?): merge(node, other)
            case (let node?, nil), (nil, let node?): value(node)
            case (nil, nil): null()
            }
        }
        for key in over.keys where under.values[key] == nil {
            guard let node = over.values[key] else { continue }
            self.key(key)
            value(node)
        }
        end()
    }
}

/// The members of an object; of two with one key the last counts, in the place of the first.
private struct LastMembers {
    var keys: [String] = []
    var values: [String: Node] = [:]

    init(_ object: Node) {
        for (key, node) in object.members where values.updateValue(node, forKey: key) == nil {
            keys.append(key)
        }
    }
}
