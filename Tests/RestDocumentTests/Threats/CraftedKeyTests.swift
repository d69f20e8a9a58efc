// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// A hundred thousand keys that collide in a hash without a seed.
///
/// `scripts/instructions` compares their cost with that of random keys.
@Suite(.tags(.slow)) struct CraftedKeyTests {
    /// Blocks that collide in the common multiplicative hash, h × 31 + c.
    static let keys = (0..<100_000).map { number in
        (0..<17).map { number >> $0 & 1 == 0 ? "Aa" : "BB" }.joined()
    }

    @Test(.threat("T05")) func doNotCollideWithSeededHash() throws {
        let unseeded = Set(Self.keys.map { $0.utf8.reduce(UInt32(7)) { $0 &* 31 &+ UInt32($1) } })
        #expect(unseeded.count == 1)
        let list = Self.keys.map { "\"\($0)\"" }.joined(separator: ",")
        let texts = try Document(parsing: "[\(list)]").root.elements.map(\.self)
        // Of 64 bits, of which a table of this size uses 17.
        #expect(Set(texts.map(\.hashValue)).count == Self.keys.count)
        #expect(Set(texts.map { $0.hashValue & 0x1FFFF }).count > Self.keys.count / 2)
    }

    @Test(.threat("T05")) func areDistinguished() throws {
        let members = Self.keys.map { "\"\($0)\":1" }
        let text = "{\(members.joined(separator: ","))}"
        let document = try Document(parsing: text)
        #expect(document.issues.isEmpty)
        var strict = ParseLimits.default
        strict.rejectsDuplicateKeys = true
        #expect(try Document(parsing: text, limits: strict).root.count == Self.keys.count)
        // The same members in reverse order, the first one twice.
        let reversed = "{\(members.reversed().joined(separator: ",")),\(members[99_999])}"
        let other = try Document(parsing: reversed)
        #expect(other == document)
        #expect(other.issues.map(\.offset) == [reversed.utf8.count - members[0].utf8.count - 1])
    }
}
