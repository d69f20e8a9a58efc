// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The invariants of reading paths.
package enum PathInvariants {
    /// Values that a path can traverse.
    private static let document: Document = [
        "a": [["b": 1, "": 2], ["b": ["c": nil, "d.e": [true, []]]], 3],
        "": ["": [["": "x"]]], "é": "y", "0": [0, 1, [2]],
    ]

    /// Reads an input as a path, and creates a path from its bytes.
    ///
    /// - Returns: A Boolean value that indicates whether the input was accepted.
    @discardableResult
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) -> Bool {
        try checkText(of: madePath(of: input))
        let text = String(decoding: input, as: UTF8.self)
        let path: DocumentPath
        do throws(DocumentError) {
            path = try DocumentPath(parsing: text)
        } catch {
            try require(error.code == .invalidPath, "the code of a path")
            let size = text.utf8.count
            try require(error.offset >= 0 && error.offset <= size, "an offset inside the text")
            try require(!error.description.utf8.contains(0x0A), "an error of one line")
            return false
        }
        try checkText(of: path)
        let root = document.root
        if let node = root[path] {
            try require(node.path == path, "a value's path is the one that led to it")
        }
        for node in root.values(at: path) {
            try require(root[node.path]?.index == node.index, "a value is where its path says")
        }
        return true
    }

    /// Writes a path and reads it back.
    static func checkText(of path: DocumentPath) throws(BrokenInvariant) {
        let text = path.description
        guard let copy = try? DocumentPath(parsing: text) else {
            throw BrokenInvariant(description: "a path that was written can be read")
        }
        // By bytes, as canonically equivalent keys compare equal.
        try require(spelling(copy) == spelling(path), "a path reads back as the same path")
        try require(copy == path && copy.hashValue == path.hashValue, "equal paths are equal")
        try require(copy.description == text, "a path has one spelling")
    }

    private static func spelling(_ path: DocumentPath) -> [[UInt8]] {
        path.components.map { component in
            switch component {
            case .key(let key): [UInt8(ascii: "k")] + key.utf8
            case .index(let index): [UInt8(ascii: "i")] + "\(index)".utf8
            }
        }
    }

    /// Returns a path whose components are parts of an input: an index after a byte above 0xBF,
    /// otherwise a key.
    private static func madePath(of input: [UInt8]) -> DocumentPath {
        var source = ByteSource(input)
        var path = DocumentPath.root
        while !source.isEmpty, path.components.count < 64 {
            let step = source.byte()
            path =
                step > 0xBF
                ? path.appending(index: Int(source.integer() >> UInt64(step & 0x3F | 1)))
                : path.appending(key: source.text(Int(step & 0x0F)))
        }
        return path
    }
}
