// SPDX-License-Identifier: Apache-2.0

/// The members of an object with distinct names, in document order.
///
/// A repeated name has its last value, at the position of its first. Names are distinct by their
/// bytes: strings that are only canonically equivalent name two members.
struct DistinctMembers: Sequence {
    private struct Name: Hashable {
        let text: String

        static func == (left: Name, right: Name) -> Bool {
            left.text.utf8.elementsEqual(right.text.utf8)
        }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private var members: [(name: String, value: Node)] = []
    private var indices: [Name: Int] = [:]

    /// Creates a sequence of the members of an object; it is empty for any other value.
    init(_ object: Node) {
        for (name, value) in object.members {
            if let index = indices[Name(text: name)] {
                members[index].value = value
            } else {
                indices[Name(text: name)] = members.count
                members.append((name, value))
            }
        }
    }

    /// The value of a member; `nil` if there is none.
    subscript(name: String) -> Node? {
        indices[Name(text: name)].map { members[$0].value }
    }

    func makeIterator() -> some IteratorProtocol<(name: String, value: Node)> {
        members.makeIterator()
    }
}
