// SPDX-License-Identifier: Apache-2.0

import RestDocument
import TestSupport
import Testing

/// A hundred thousand keys that collide in a hash without a seed, for several such hashes.
///
/// `scripts/instructions` compares their cost with that of random keys.
@Suite(.tags(.slow)) struct CraftedKeyTests {
    @Test(.threat("T05"), arguments: UnseededHash.all)
    func doNotCollideWithSeededHash(_ hash: UnseededHash) throws {
        let keys = hash.collidingKeys(100_000)
        #expect(Set(keys).count == 100_000)
        #expect(Set(keys.map(hash.value)).count == 1)
        let list = keys.map { "\"\($0)\"" }.joined(separator: ",")
        let texts = try Document(parsing: "[\(list)]").root.elements.map(\.self)
        // Of 64 bits, of which a table of this size uses 17.
        #expect(Set(texts.map(\.hashValue)).count == keys.count)
        #expect(Set(texts.map { $0.hashValue & 0x1FFFF }).count > keys.count / 2)
    }

    /// The work of each table of keys that servers choose, as the number of comparisons.
    @Test(.threat("T05"), arguments: UnseededHash.all)
    func areComparedAsOftenAsOtherKeys(_ hash: UnseededHash) throws {
        let crafted = hash.collidingKeys(4096)
        let others = crafted.indices.map { "key number \($0 &* 7919)" }
        func document(_ keys: [String]) throws -> Document {
            try Document(parsing: "{\(keys.map { "\"\($0)\":1" }.joined(separator: ","))}")
        }
        func comparisons(_ keys: [String]) throws -> (inDocument: Int, inTable: Int) {
            let inDocument = try document(keys).withView { root in
                CountedKey.comparisons(of: root.members.map { KeyText(view: $0.key) })
            }
            return (inDocument, CountedKey.comparisons(of: keys.map { MemberKey($0) }))
        }
        let (work, reference) = (try comparisons(crafted), try comparisons(others))
        // Some comparisons are necessary, as tables are never large enough to avoid them.
        #expect(reference.inDocument > 0 && reference.inDocument < 4 * others.count)
        #expect(reference.inTable > 0 && reference.inTable < 4 * others.count)
        #expect(work.inDocument < 3 * reference.inDocument)
        #expect(work.inTable < 3 * reference.inTable)
    }

    @Test(.threat("T05"), arguments: UnseededHash.all)
    func areDistinguished(_ hash: UnseededHash) throws {
        let keys = hash.collidingKeys(100_000)
        let members = keys.map { "\"\($0)\":1" }
        let text = "{\(members.joined(separator: ","))}"
        let document = try Document(parsing: text)
        #expect(document.issues.isEmpty)
        var strict = ParseLimits.default
        strict.rejectsDuplicateKeys = true
        #expect(try Document(parsing: text, limits: strict).root.count == keys.count)
        // The same members in reverse order, the first one twice.
        let reversed = "{\(members.reversed().joined(separator: ",")),\(members[99_999])}"
        let other = try Document(parsing: reversed)
        #expect(other == document)
        #expect(other.issues.map(\.offset) == [reversed.utf8.count - members[0].utf8.count - 1])
    }
}

/// A key that counts its comparisons.
private struct CountedKey<Key: Hashable>: Hashable {
    final class Counter {
        var count = 0
    }

    let key: Key
    let counter: Counter

    static func == (left: CountedKey, right: CountedKey) -> Bool {
        left.counter.count += 1
        return left.key == right.key
    }

    func hash(into hasher: inout Hasher) { key.hash(into: &hasher) }
}

extension CountedKey {
    /// Returns the number of comparisons that a set of distinct keys makes, twice each.
    static func comparisons(of keys: [Key]) -> Int {
        let counter = Counter()
        var known = Set<CountedKey>(minimumCapacity: keys.count)
        for key in keys + keys { known.insert(CountedKey(key: key, counter: counter)) }
        return counter.count
    }
}
