// SPDX-License-Identifier: Apache-2.0

import RestNetworking
import TestSupport
import Testing

/// Link fields that servers do not write on purpose.
@Suite struct LinkFieldThreatTests {
    private static let fields = [
        #"<https://a.test/?page=2>; rel="next", <https://a.test/?page=9>; rel=last"#,
        #"<a>; rel="next last"; title="a \\\" b", </b?x=<>; rel=prev, <c>;rel;rel=next;;"#,
        ",, <a> x, <b>; = ; rel = next ; title*=UTF-8''%e2%82%ac, <c>; rel=\"open",
    ]

    @Test(arguments: fields) func staysWellFormedWhenMutated(field: String) throws {
        let bytes = Array(field.utf8)
        var generator = SeededGenerator(seed: 33)
        var acceptedCount = 0
        for _ in 0..<2000 {
            var input = bytes
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !input.isEmpty {
                let index = Int.random(in: 0..<input.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: input.remove(at: index)
                case 1: input[index] = UInt8.random(in: 0...255, using: &generator)
                case 2: input.insert(bytes.randomElement(using: &generator) ?? 0, at: index)
                default: input.removeSubrange(index...)
                }
            }
            if try LinkFieldInvariants.check(input) { acceptedCount += 1 }
        }
        #expect(acceptedCount > 100)
    }
}
