// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// Elements and attributes in flat lists, from which a document is built.
///
/// Members of the same name are grouped when their element ends, so that building the document visits
/// each member once, in order.
struct XMLTree {
    /// An element, an attribute, or the text beside them, which have a key.
    private struct Member {
        let key: Int
        var text = ""
        /// The first and the last member of an element.
        var first = -1
        var last = -1
        /// The next member of the same element.
        var next = -1
        /// A Boolean value that indicates whether the previous member has the same key.
        var continuesGroup = false
        /// A Boolean value that indicates whether the next member has the same key.
        var isContinued = false
    }

    private var keys: [String] = []
    private var keyIndices: [XMLKey: Int] = [:]
    private var members: [Member] = []
    /// The elements that have not ended, outermost first.
    private var open: [Int] = []

    /// The last member of each key, and its element, which is outdated unless it is being grouped.
    private var groupEnds: [(element: Int, member: Int)] = []

    /// The number of distinct names.
    var nameCount: Int { keys.count }

    /// The names of the open elements.
    var openNames: [String] { open.map { keys[members[$0].key] } }

    // MARK: Building the tree

    mutating func begin(_ name: String) {
        open.append(append(name))
    }

    /// Adds an attribute to the innermost open element.
    mutating func add(_ name: String, _ value: String) {
        members[append(name)].text = value
    }

    /// Counts a name that is not a key.
    mutating func count(_ name: String) {
        _ = key(name)
    }

    /// Appends to the text of the innermost open element.
    mutating func add(text: String) {
        guard let element = open.last else { return }
        members[element].text += text
    }

    /// Ends the innermost open element.
    ///
    /// - Parameter textKey: The key of its text beside other members.
    mutating func end(textKey: String) {
        guard let element = open.last else { return }
        if members[element].first >= 0, !members[element].text.utf8.allSatisfy(\.isBlank) {
            add(textKey, members[element].text)
        }
        open.removeLast()
        group(element)
    }

    private mutating func append(_ name: String) -> Int {
        let member = members.count
        members.append(Member(key: key(name)))
        guard let element = open.last else { return member }
        if members[element].first < 0 {
            members[element].first = member
        } else {
            members[members[element].last].next = member
        }
        members[element].last = member
        return member
    }

    private mutating func key(_ name: String) -> Int {
        if let known = keyIndices[XMLKey(text: name)] { return known }
        keyIndices[XMLKey(text: name)] = keys.count
        keys.append(name)
        groupEnds.append((-1, -1))
        return keys.count - 1
    }

    /// Moves members behind those of the same key.
    private mutating func group(_ element: Int) {
        var before = -1
        var member = members[element].first
        while member >= 0 {
            let next = members[member].next
            let key = members[member].key
            if groupEnds[key].element != element {
                before = member
            } else {
                let end = groupEnds[key].member
                members[end].isContinued = true
                members[member].continuesGroup = true
                if end == before {
                    before = member
                } else {
                    members[before].next = next
                    members[member].next = members[end].next
                    members[end].next = member
                }
            }
            groupEnds[key] = (element, member)
            member = next
        }
    }

    // MARK: Building the document

    /// Returns the document of a tree whose elements have all ended.
    func document(arrayNames: Set<String>) -> Document {
        let arrayKeys = Set(arrayNames.map(XMLKey.init))
        let isArray = keys.map { arrayKeys.contains(XMLKey(text: $0)) }
        var builder = DocumentBuilder()
        builder.beginObject()
        var containers: [Int] = []
        var member = 0
        while member >= 0 {
            let current = members[member]
            if !current.continuesGroup {
                builder.key(keys[current.key])
                if current.isContinued || isArray[current.key] { builder.beginArray() }
            }
            if current.first >= 0 {
                builder.beginObject()
                containers.append(member)
                member = current.first
                continue
            }
            builder.string(current.text)
            // Ends groups and the containers whose last member this is.
            var ended = current
            while true {
                let isList = ended.continuesGroup || isArray[ended.key]
                if !ended.isContinued, isList { builder.end() }
                member = ended.next
                guard member < 0 else { break }
                builder.end()
                guard let container = containers.popLast() else { break }
                ended = members[container]
            }
        }
        return builder.finish()
    }
}

/// A name that is compared by its bytes instead of Unicode's canonical equivalence.
///
/// The standard library seeds hash values, so crafted names do not collide.
private struct XMLKey: Hashable {
    var text: String

    static func == (left: XMLKey, right: XMLKey) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
