// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// A short run of the fuzz targets of mappings and dates, with the same inputs each time.
@Suite(.tags(.slow)) struct AdversarialMappingTests {
    static let blocks = Array(0..<8)

    @Test(arguments: blocks) func breaksNoInvariantOfMappings(_ block: Int) throws {
        var random = Sequence(seed: UInt64(block))
        var mapped = 0
        for _ in 0..<500 {
            let input = random.bytes(10..<120) + [0] + random.bytes(2..<120)
            do throws(BrokenInvariant) {
                if try MappingInvariants.check(input) { mapped += 1 }
            } catch {
                Issue.record("\(error) for the bytes \(input)")
            }
        }
        // Some inputs are mapped, and some are rejected.
        #expect(mapped > 10 && mapped < 450)
    }

    @Test(arguments: blocks) func breaksNoInvariantOfDates(_ block: Int) throws {
        var random = Sequence(seed: UInt64(block))
        var read = 0
        for round in 0..<500 {
            let text = round % 2 == 0 ? random.date() : random.bytes(0..<30)
            let input = text + [0] + random.bytes(0..<30)
            do throws(BrokenInvariant) {
                if try DateInvariants.check(input) { read += 1 }
            } catch {
                Issue.record("\(error) for the bytes \(input)")
            }
        }
        #expect(read > 10)
    }

    /// Inputs on which a fuzz target once failed.
    @Test(
        arguments: [
            [],
            // A .NET date before year 1.
            [0, 0, 6, 0xC9, 0xC2, 0x90, 0x0B, 0x0B, 0, 0, 0, 0xC2, 0x22],
            // A text of another document at the index of a key.
            [
                0x3B, 0xF7, 0x46, 0xFF, 0x60, 0xFF, 0x68, 0x3D, 0x69, 0x01, 0x2E, 0x63, 0x76,
                0x6D, 0x5C, 0x24, 0x5D, 0x00, 0x6F, 0xBD, 0x3C, 0x53, 0x00, 0x04, 0x48, 0x00,
                0x48, 0x3B, 0x48, 0x48, 0x48, 0x48, 0x66, 0x61, 0x6C, 0x73, 0x65, 0xFF, 0xFF,
                0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x30, 0xF0, 0x9F, 0x98, 0x80, 0x3D,
            ],
        ] as [[UInt8]]) func passesFormerFailures(_ input: [UInt8]) throws
    {
        try MappingInvariants.check(input)
        try DateInvariants.check(input)
    }
}

/// Steele, Lea and Flood's generator, here for its fixed sequence.
private struct Sequence: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func bytes(_ counts: Range<Int>) -> [UInt8] {
        (0..<Int.random(in: counts, using: &self)).map { _ in
            UInt8.random(in: 0...255, using: &self)
        }
    }

    /// A date with a byte or two of it changed.
    mutating func date() -> [UInt8] {
        let texts = [
            "2024-05-01T12:00:00Z", "1996-12-19T16:39:57.123-08:00", "11/27/1982", "1982-11-27",
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "/Date(1000212360000-0400)/", "1716000000.5", "-1e9",
        ]
        var text = Array(texts[Int.random(in: 0..<texts.count, using: &self)].utf8)
        for _ in 0..<Int.random(in: 0...2, using: &self) {
            let index = Int.random(in: 0..<text.count, using: &self)
            text[index] = UInt8.random(in: 0x20...0x7E, using: &self)
        }
        return text
    }
}
