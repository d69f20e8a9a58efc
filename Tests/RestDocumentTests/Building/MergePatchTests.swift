// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestTesting
import TestSupport
import Testing

@Suite struct MergePatchTests {
    /// The examples of RFC 7396, appendix A: original, patch, result.
    private static let examples = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, #"null"#, #"null"#),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ]

    @Test(arguments: examples)
    func appliesPatch(original: String, patch: String, result: String) throws {
        let changed = try Document(parsing: original).applying(
            mergePatch: Document(parsing: patch))
        #expect(JSONWriter.compact.text(of: changed) == result)
    }

    @Test(arguments: [
        (
            #"{"a":1,"b":[1,2],"c":{"d":1,"e":2}}"#, #"{"a":1,"b":[1,2],"c":{"d":3,"e":2}}"#,
            #"{"c":{"d":3}}"#
        ),
        (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":null}"#),
        (#"{"a":1}"#, #"{"a":null}"#, #"{"a":null}"#),
        (#"{"a":[1]}"#, #"{"a":[1,{"b":null}]}"#, #"{"a":[1,{"b":null}]}"#),
        (#"{"a":{"b":1}}"#, #"{"a":{}}"#, #"{"a":{"b":null}}"#),
        (#"{"a":{"b":1}}"#, #"{"a":"b"}"#, #"{"a":"b"}"#),
        (#"{"a":9007199254740993}"#, #"{"a":9007199254740992}"#, #"{"a":9007199254740992}"#),
        (#"1"#, #"{"a":1}"#, #"{"a":1}"#),
        (#"{"a":1}"#, #"null"#, #"null"#),
    ])
    func containsOnlyChanges(base: String, value: String, patch: String) throws {
        let difference = try Document(parsing: value).mergePatch(from: Document(parsing: base))
        #expect(difference.map { JSONWriter.compact.text(of: $0) } == patch)
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"b":2.0,"a":1e0}"#),
        (#"{"a":1}"#, #"{"a":1,"b":null}"#),
        (#"{"a":1,"b":null}"#, #"{"a":1}"#),
        (#"{"a":{"b":null}}"#, #"{"a":{}}"#),
        (#"[{"a":null}]"#, #"[{"a":null}]"#),
        (#"null"#, #"null"#),
    ])
    func hasNoPatchForEqualDocuments(base: String, value: String) throws {
        #expect(try Document(parsing: value).mergePatch(from: Document(parsing: base)) == nil)
    }

    @Test func distinguishesCanonicallyEquivalentNames() throws {
        let base = try Document(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}")
        let value = try Document(parsing: "{\"\u{E9}\":1,\"e\u{301}\":3}")
        let patch = try #require(value.mergePatch(from: base))
        #expect(JSONWriter.compact.text(of: patch) == "{\"e\u{301}\":3}")
        #expect(base.applying(mergePatch: patch) == value)
        #expect(base.merging(patch) == value)
    }

    @Test func patchTurnsBaseIntoValue() {
        var random = SplitMix64(seed: 7396)
        var patches = 0
        for _ in 0..<5_000 {
            let base = Self.document(depth: 4, &random)
            let value = Self.document(depth: 4, &random)
            guard let patch = value.mergePatch(from: base) else {
                #expect(Self.withoutNulls(base) == Self.withoutNulls(value))
                continue
            }
            patches += 1
            let changed = base.applying(mergePatch: patch)
            #expect(
                Self.withoutNulls(changed) == Self.withoutNulls(value), "\(base), \(value)")
            #expect(changed.applying(mergePatch: patch) == changed)
        }
        #expect(patches > 1_000)
    }
}

extension MergePatchTests {
    /// Returns a document of few names and values, so that two of them often have parts in common.
    private static func document(depth: Int, _ random: inout SplitMix64) -> Document {
        switch depth == 0
            ? Int.random(in: 0..<4, using: &random) : Int.random(in: 0..<8, using: &random)
        {
        case 0: return nil
        case 1: return .bool(.random(using: &random))
        case 2: return .number(Int.random(in: 0..<3, using: &random))
        case 3: return .string(["", "x"].randomElement(using: &random) ?? "")
        case 4:
            let count = Int.random(in: 0..<3, using: &random)
            return .array((0..<count).map { _ in document(depth: depth - 1, &random) })
        default:
            var builder = DocumentBuilder()
            builder.beginObject()
            for name in ["a", "b", "c"] where Bool.random(using: &random) {
                builder.key(name)
                builder.value(document(depth: depth - 1, &random))
            }
            builder.end()
            return builder.finish()
        }
    }

    /// Returns a document without those members of objects that are null, except inside of arrays.
    private static func withoutNulls(_ document: Document) -> Document {
        var builder = DocumentBuilder()
        addWithoutNulls(document.root, to: &builder)
        return builder.finish()
    }

    private static func addWithoutNulls(_ node: Node, to builder: inout DocumentBuilder) {
        guard node.kind == .object else { return builder.value(node) }
        builder.beginObject()
        for (name, value) in node.members where value.kind != .null {
            builder.key(name)
            addWithoutNulls(value, to: &builder)
        }
        builder.end()
    }
}
