// SPDX-License-Identifier: Apache-2.0

import RestRows
import Testing

/// The merge of an edit with a value that others have set since.
@Suite struct PropertyMergeTests {
    private static let policies: [MergePolicy] = [.fail, .storeWins, .contextWins]

    @Test(arguments: policies, [false, true])
    func editAppliesToValueBeforeIt(_ policy: MergePolicy, isCounted: Bool) {
        let values: [(base: StoredValue, mine: StoredValue)] = [
            (.integer(1), .integer(2)), (.null, .text("a")), (.integer(1), .integer(1)),
        ]
        for (base, mine) in values {
            let merge = policy.merge(
                base: base, mine: mine, theirs: base, as: isCounted ? .count : .value)
            #expect(merge == .edit)
        }
    }

    @Test(arguments: policies)
    func equalValuesAgree(_ policy: MergePolicy) {
        for value in [StoredValue.text("both"), .null, .integer(2)] {
            let merge = policy.merge(
                base: .integer(1), mine: value, theirs: value, as: .value)
            #expect(merge == .agreement)
        }
    }

    @Test(arguments: policies)
    func countsAreAddedUp(_ policy: MergePolicy) {
        func merge(
            _ base: StoredValue, _ mine: StoredValue, _ theirs: StoredValue
        ) -> PropertyMerge {
            policy.merge(base: base, mine: mine, theirs: theirs, as: .count)
        }
        #expect(merge(.integer(1), .integer(3), .integer(11)) == .merged(.integer(13)))
        #expect(merge(.double(1), .double(0.5), .double(3)) == .merged(.double(2.5)))
        #expect(merge(.text("1.10"), .text("1.20"), .text("2")) == .merged(.text("2.1")))
        // Each side has counted one.
        #expect(merge(.integer(1), .integer(2), .integer(2)) == .merged(.integer(3)))
    }

    @Test(arguments: [
        (MergePolicy.fail, PropertyMerge.conflict), (.storeWins, .discard), (.contextWins, .edit),
    ])
    func policyDecidesAboutOtherValues(_ policy: MergePolicy, _ expected: PropertyMerge) {
        let values: [(base: StoredValue, mine: StoredValue, theirs: StoredValue)] = [
            (.integer(1), .integer(2), .integer(3)), (.text("a"), .null, .text("b")),
            (.null, .text("a"), .text("b")),
            // The edit was set back to the value before it.
            (.integer(1), .integer(1), .integer(3)),
        ]
        for (base, mine, theirs) in values {
            let merge = policy.merge(base: base, mine: mine, theirs: theirs, as: .value)
            #expect(merge == expected)
        }
    }

    @Test(arguments: [
        (MergePolicy.fail, PropertyMerge.conflict), (.storeWins, .discard), (.contextWins, .edit),
    ])
    func policyDecidesAboutCountsWithoutSum(_ policy: MergePolicy, _ expected: PropertyMerge) {
        // The others have no number any more, or the sum does not fit.
        for theirs in [StoredValue.null, .integer(.max)] {
            let merge = policy.merge(
                base: .integer(1), mine: .integer(2), theirs: theirs, as: .count)
            #expect(merge == expected)
        }
    }

    @Test(arguments: [
        // Added on both sides, removed on both sides, added here and removed there.
        ([1], [1, 2], [1, 3], PropertyMerge.merged(MemberSet([1, 2, 3]).stored)),
        ([1, 2, 3], [2, 3], [1, 2], .merged(MemberSet([2]).stored)),
        ([1, 2], [1, 2, 3], [1], .merged(MemberSet([1, 3]).stored)),
        // What the others have already, and what they have not touched.
        ([1], [1, 2], [1, 2, 3], .discard),
        ([1], [1, 2], [1, 2], .agreement),
        ([1], [1, 2], [1], .edit),
    ])
    func membersAreMergedByAdditionAndRemoval(
        _ base: [Int64], _ mine: [Int64], _ theirs: [Int64], _ expected: PropertyMerge
    ) {
        for policy in Self.policies {
            let merge = policy.merge(
                base: MemberSet(base).stored, mine: MemberSet(mine).stored,
                theirs: MemberSet(theirs).stored, as: .members)
            #expect(merge == expected)
        }
    }

    @Test func combinationDecidesBeforePolicy() {
        func merge(_ combined: StoredValue?) -> PropertyMerge {
            MergePolicy.fail.merge(
                base: .text("a"), mine: .text("b"), theirs: .text("c"), as: .value
            ) { _, _, _ in combined }
        }
        #expect(merge(.text("d")) == .merged(.text("d")))
        #expect(merge(.text("b")) == .edit)
        #expect(merge(.text("c")) == .discard)
        #expect(merge(nil) == .conflict)
    }
}
