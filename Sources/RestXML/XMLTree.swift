// SPDX-License-Identifier: Apache-2.0

#if XML

import RestDocument

/// Elements and attributes in flat lists, from which a document is written.
///
/// What has the same name in an element is brought together when the element ends, so that writing
/// goes from one member to the next.
struct XMLTree {
    /// An element, an attribute, or text beside them: what stands under one key.
    private struct Member {
        let key: Int
        var text = ""
        /// The first and the last member of an element.
        var first = -1
        var last = -1
        /// The next member of the same element.
        var next = -1
        /// Whether the members before and behind, of the same element, have the same key.
        var continuesGroup = false
        var isContinued = false
    }

    private var keys: [String] = []
    private var keyIndices: [XMLKey: Int] = [:]
    private var members: [Member] = []
    /// The elements that have not ended.
    private var open: [Int] = []

    /// For each key, its last member of the element that ends, if that is the element beside it.
    private var groupEnds: [(element: Int, member: Int)] = []

    /// How many different names there are.
    var nameCount: Int { keys.count }

    /// The names of the elements that have not ended.
    var openNames: [String] { open.map { keys[members[$0].key] } }

    // MARK: Growing

    mutating func begin(_ name: String) {
        open.append(append(name))
    }

    /// Adds an attribute to the element that began last.
    mutating func add(_ name: String, _ value: String) {
        members[append(name)].text = value
    }

    /// Counts a name that is no key.
    mutating func count(_ name: String) {
        _ = key(name)
    }

    /// Adds to the text of the element that began last.
    mutating func add(text: String) {
        guard let element = open.last else { return }
        members[element].text += text
    }

    /// Ends the element that began last.
    ///
    /// - Parameter textKey: The name of its text where it has other members.
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

    /// Moves members behind the ones of the same key.
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

    // MARK: Writing

    /// The document of a tree whose elements have all ended.
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
            // What ends here, and the containers that end with it.
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

/// A name that equals another one only byte for byte, not by the rules of Unicode.
///
/// The standard library seeds its hashes, so that crafted names do not collide.
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

#endif
