// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// A short run of the fuzz targets with deterministic mutations.
@Suite(.tags(.slow)) struct AdversarialBytesTests {
    static let blocks = Array(0..<20)

    @Test(.threat("T10"), arguments: blocks)
    func preservesInvariantsOfParser(_ block: Int) throws {
        let accepted = try results(of: ParserInvariants.check, block).count { $0 }
        // Neither all inputs are malformed nor all well-formed.
        #expect(accepted > 50 && accepted < 950)
    }

    @Test(.threat("T10"), arguments: blocks.prefix(4))
    func preservesInvariantsOfWriter(_ block: Int) throws {
        try results(of: WriterInvariants.check, block)
    }

    @Test(.threat("T10"), arguments: blocks.prefix(4))
    func preservesInvariantsOfPaths(_ block: Int) throws {
        let accepted = try results(of: PathInvariants.check, block).count { $0 }
        #expect(accepted > 50 && accepted < 950)
    }

    @Test(.threat("T10"), arguments: blocks.prefix(4))
    func preservesInvariantsOfStreams(_ block: Int) throws {
        try results(of: StreamInvariants.check, block, isFramed: true)
    }

    @Test(.threat("T10"), arguments: blocks.prefix(4))
    func preservesInvariantsOfForms(_ block: Int) throws {
        try results(of: FormInvariants.check, block)
    }

    @Test(.threat("T10"), arguments: blocks.prefix(4))
    func preservesInvariantsOfCoding(_ block: Int) throws {
        try results(of: CodingInvariants.check, block)
    }

    @Test(
        .threat("T10"),
        arguments: [
            "text/html; charset=\"a\\\\b\"; x=1, application/json;charset=",
            // A combining character after a backslash, a past failure of the fuzz target.
            "a/b;c=\"\\\\\u{313}x\"", "Application/Problem+JSON;; Q=\"é,\" , */*, a/b;c=\"",
        ])
    func preservesInvariantsOfMediaTypes(_ text: String) throws {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            for byte in Array("\"\\,;=/ a*\u{1}".utf8) {
                var input = bytes
                input[index] = byte
                try MediaTypeInvariants.check(input)
            }
        }
        #expect(try MediaTypeInvariants.check(bytes))
    }

    /// The inputs are past failures of fuzz targets.
    @Test(
        .tags(.regression),
        arguments: [
            // A part of a character in place of a digit.
            #"{"G":[-609,-609,-609,-609,-609,-609,-😀609,-609,-609]}"#,
            // An exponent beyond the range of `Decimal`.
            "[7e161,7e161]",
        ])
    func preservesInvariantsForPastFailures(_ text: String) throws {
        let input = Array(text.utf8)
        try ParserInvariants.check(input)
        try WriterInvariants.check(input)
        try PathInvariants.check(input)
        try StreamInvariants.check(input)
        try FormInvariants.check(input)
        try CodingInvariants.check(input)
    }

    /// Returns the result of a check for each input of a block.
    ///
    /// - Throws: The first broken invariant, with the input.
    @discardableResult
    private func results<Result>(
        of check: ([UInt8]) throws(BrokenInvariant) -> Result, _ block: Int, isFramed: Bool = false
    ) throws -> [Result] {
        var mutator = Mutator(seed: UInt64(block))
        return try (0..<1_000).map { _ in
            let input = isFramed ? mutator.framed() : mutator.next()
            do {
                return try check(input)
            } catch {
                throw BrokenInvariant(description: "\(error) for the bytes \(input)")
            }
        }
    }
}

/// A deterministic generator of malformed and unusual documents from seeds.
private struct Mutator {
    private static let pieces: [[UInt8]] =
        [
            #"{"id":1,"name":"a","tags":[true,false,null]}"#, #"[[],{},[{}],{"a":[]}]"#,
            #"{"a":1,"a":2,"\u0061":3}"#, #"["\ud83d\ude00","\u0000","é€😀","\n\"\\\/"]"#,
            "[0,-0,1e5,1E+400,-1.5e-3,9223372036854775808,18446744073709551616,0.1]",
            "[1.7976931348623157e308,4.9e-324,123456789012345678901234567890,7e161]",
            " { \"x\" : [ 1 , 2 ] , \"y\" : { \"z\" : \"w\" } } \r\n\t", "\"plain text\"", "null",
            "a.b[0]",
            "[\"0123456789abcdef0123456789abcdef\"]", "[[[[[[[[1]]]]]]]]", "é[3].x\\.y[\"\"]",
            "data.items",
        ].map { Array($0.utf8) } + [
            [0xEF, 0xBB, 0xBF, 0x5B, 0x5D], [0x22, 0xED, 0xA0, 0x80, 0x22],
        ]

    private let seeds: [[UInt8]]
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let files = (try? SharedFiles.files(in: "suites/fuzz-seeds/json")) ?? []
        let shared = files.compactMap { try? [UInt8](SharedFiles.data($0)) }
        seeds = Self.pieces + shared.filter { $0.count <= 160 }
    }

    /// Returns the next input: a seed with up to four changes.
    mutating func next() -> [UInt8] {
        var input = seeds[pick(seeds.count)]
        for _ in 0..<pick(5) { change(&input) }
        return input
    }

    /// Returns the next input after a framing and chunk sizes, mostly an array.
    mutating func framed() -> [UInt8] {
        let head = (0..<5).map { _ in UInt8(truncatingIfNeeded: pick(256)) }
        let input = next()
        return head + (pick(3) == 0 ? input : Array("[".utf8) + input + Array(",1]".utf8))
    }

    private mutating func change(_ input: inout [UInt8]) {
        let start = pick(input.count + 1)
        let end = min(start + pick(8), input.count)
        let piece = Self.pieces[pick(Self.pieces.count)]
        switch pick(7) {
        case 0: input.replaceSubrange(start..<end, with: [])
        case 1: input.insert(UInt8(truncatingIfNeeded: pick(256)), at: start)
        case 2 where start < input.count: input[start] ^= 1 << UInt8(pick(8))
        case 3: input.insert(contentsOf: piece, at: start)
        case 4: input.insert(contentsOf: piece.prefix(pick(piece.count + 1)), at: start)
        case 5: input.insert(contentsOf: input[start..<end], at: pick(input.count + 1))
        default:
            let marks = Array("[]{},:\"\\0123456789.eE+- ".utf8)
            input.insert(marks[pick(marks.count)], at: start)
        }
    }

    private mutating func pick(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(count))
    }
}
