// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// What a document's tape holds, found the slow and simple way.
struct TapeFacts {
    /// For each node, whether it is a key.
    private(set) var isKey: [Bool]
    /// Offsets of keys that their object had before, in document order.
    private(set) var repeatedOffsets: [Int] = []
    /// Some objects' keys with the index of the value written last.
    private(set) var lastMembers: [(object: Int, key: String, value: Int)] = []
    /// Containers inside each other.
    private(set) var depth = 0
    /// Members of the largest object.
    private(set) var memberCount = 0
    /// Bytes of the longest text as written.
    private(set) var stringByteCount = 0

    /// Walks the tape and checks how its nodes lie in each other.
    init(_ document: Document) throws(BrokenInvariant) {
        let storage = document.storage
        isKey = Array(repeating: false, count: storage.nodeCount)
        let view = document.withView { $0 }
        var open: [Int] = []
        try require(view.nextIndex == storage.nodeCount, "the root holds the whole tape")
        for index in 0..<storage.nodeCount {
            while let end = open.last, index >= end { open.removeLast() }
            let value = view.at(index)
            try require(value.node.offset < storage.byteCount, "an offset inside the input")
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
                repeatedOffsets.append(key.node.offset - 1)
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
