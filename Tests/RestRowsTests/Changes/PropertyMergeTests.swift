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
            let merge = policy.merge(base: base, mine: mine, theirs: base, isCounted: isCounted)
            #expect(merge == .edit)
        }
    }

    @Test(arguments: policies)
    func equalValuesAgree(_ policy: MergePolicy) {
        for value in [StoredValue.text("both"), .null, .integer(2)] {
            let merge = policy.merge(
                base: .integer(1), mine: value, theirs: value, isCounted: false)
            #expect(merge == .agreement)
        }
    }

    @Test(arguments: policies)
    func countsAreAddedUp(_ policy: MergePolicy) {
        func merge(
            _ base: StoredValue, _ mine: StoredValue, _ theirs: StoredValue
        ) -> PropertyMerge {
            policy.merge(base: base, mine: mine, theirs: theirs, isCounted: true)
        }
        #expect(merge(.integer(1), .integer(3), .integer(11)) == .sum(.integer(13)))
        #expect(merge(.double(1), .double(0.5), .double(3)) == .sum(.double(2.5)))
        #expect(merge(.text("1.10"), .text("1.20"), .text("2")) == .sum(.text("2.1")))
        // Each side has counted one.
        #expect(merge(.integer(1), .integer(2), .integer(2)) == .sum(.integer(3)))
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
            let merge = policy.merge(base: base, mine: mine, theirs: theirs, isCounted: false)
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
                base: .integer(1), mine: .integer(2), theirs: theirs, isCounted: true)
            #expect(merge == expected)
        }
    }
}
