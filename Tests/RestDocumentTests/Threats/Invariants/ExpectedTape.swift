// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The expected properties of a document's tape, computed by a slow, simple algorithm.
struct ExpectedTape {
    /// A Boolean value for each node that indicates whether it is a key.
    private(set) var isKey: [Bool]
    /// The offsets of repeated keys, in document order.
    private(set) var repeatedOffsets: [Int] = []
    /// The keys of some objects with the index of the last value.
    private(set) var lastMembers: [(object: Int, key: String, value: Int)] = []
    /// The depth of nested containers.
    private(set) var depth = 0
    /// The number of members of the largest object.
    private(set) var memberCount = 0
    /// The number of bytes of the longest string as written.
    private(set) var stringByteCount = 0

    /// Traverses the tape and checks the nesting of its nodes.
    init(_ document: Document) throws(BrokenInvariant) {
        isKey = Array(repeating: false, count: document.nodeCount)
        let view = document.withView { $0 }
        var open: [Int] = []
        try require(view.nextIndex == document.nodeCount, "the root holds the whole tape")
        for index in 0..<document.nodeCount {
            while let end = open.last, index >= end { open.removeLast() }
            let value = view.at(index)
            try require(value.tapeNode.offset < document.byteCount, "an offset inside the input")
            if value.kind.isString {
                stringByteCount = max(stringByteCount, value.contentLength)
            }
            guard value.kind.isContainer else { continue }
            try require(value.contentEnd > index, "a container ends behind its beginning")
            try require(value.contentEnd <= open.last ?? .max, "a container ends inside its own")
            open.append(value.contentEnd)
            depth = max(depth, open.count)
            if value.isObject { try addMembers(of: value) } else { try countElements(of: value) }
        }
        repeatedOffsets.sort()
        withExtendedLifetime(document) {}
    }

    private mutating func addMembers(of object: NodeView) throws(BrokenInvariant) {
        var last: [[UInt8]: Int] = [:]
        var count = 0
        for (key, value) in object.members {
            guard let text = key.string() else {
                throw BrokenInvariant(description: "a key is text")
            }
            try require(value.index == key.index + 1, "a value follows its key")
            isKey[key.index] = true
            count += 1
            if last.updateValue(value.index, forKey: Array(text.utf8)) != nil {
                repeatedOffsets.append(key.tapeNode.offset - 1)
            }
        }
        try require(count == object.count, "the count of an object is that of its members")
        memberCount = max(memberCount, count)
        for (key, value) in last.prefix(4) where lastMembers.count < 64 {
            lastMembers.append((object.index, String(decoding: key, as: UTF8.self), value))
        }
    }

    private func countElements(of array: NodeView) throws(BrokenInvariant) {
        let count = array.elements.reduce(0) { count, _ in count + 1 }
        try require(count == array.count, "the count of an array is that of its elements")
    }
}
