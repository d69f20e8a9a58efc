// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The invariants of building and writing documents.
package enum WriterInvariants {
    /// Builds a document as an input chooses, and compares it with the expected nodes.
    package static func check(_ input: [UInt8]) throws(BrokenInvariant) {
        var pass = BuildingPass(ByteSource(input))
        try pass.run()
        let expected = pass.expected
        let built = pass.builder.finish()
        try compare(built, expected)
        let text = JSONWriter.compact.bytes(of: built)
        let read: Document
        do throws(DocumentError) {
            read = try Document(parsing: text, limits: .none)
        } catch {
            throw BrokenInvariant(description: "what was built can be read: \(error)")
        }
        try compare(read, expected)
        try require(read == built, "what was built and what was read are equal")
        try require(JSONWriter.compact.bytes(of: read) == text, "compact text comes back")
        for index in 0..<read.nodeCount {
            let left = built.withView { $0.at(index).tapeNode }
            let right = read.withView { $0.at(index).tapeNode }
            try require(
                left.head == right.head && left.payload == right.payload,
                "a built tape is that of its text")
        }
        let writer = JSONWriter(
            layout: .pretty(indentation: input.count % 4), sortsKeys: input.count % 2 == 0)
        let pretty = try? Document(parsing: writer.bytes(of: built), limits: .none)
        try require(pretty == built, "indented text means the same")
    }

    private static func compare(
        _ document: Document, _ expected: [BuiltValue]
    ) throws(BrokenInvariant) {
        try require(document.nodeCount == expected.count, "as many nodes as were built")
        let root = document.withView { $0 }
        for (index, value) in expected.enumerated() {
            try require(value == BuiltValue(root.at(index)), "\(value) is what was built")
        }
        withExtendedLifetime(document) {}
    }
}

/// The expected value of a node.
enum BuiltValue: Equatable {
    case null
    case bool(Bool)
    case text([UInt8])
    case number(String)
    case double(UInt64)
    case array
    case object

    /// The value of a node, with expected doubles compared by their bits.
    init(_ view: NodeView) {
        self =
            switch view.kind {
            case .null: .null
            case .true, .false: .bool(view.isTrue)
            case .string, .escapedString: .text(Array((view.string() ?? "").utf8))
            case .array: .array
            case .object: .object
            default: .number(view.numberText ?? "")
            }
    }

    static func == (left: BuiltValue, right: BuiltValue) -> Bool {
        switch (left, right) {
        case (.null, .null), (.array, .array), (.object, .object): true
        case (.bool(let left), .bool(let right)): left == right
        case (.text(let left), .text(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.double(let bits), .number(let text)): Double(text)?.bitPattern == bits
        default: false
        }
    }
}
