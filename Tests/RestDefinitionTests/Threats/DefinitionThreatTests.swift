// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDefinition
import RestDocument
import RestTesting
import TestSupport
import Testing

/// Definitions that nobody writes on purpose.
///
/// Set `RESTKIT_MUTATED_DEFINITIONS` for more of each example than 100.
@Suite struct DefinitionThreatTests {
    @Test(arguments: ExampleFiles.names) func staysWellFormedWhenMutated(name: String) throws {
        let bytes = JSONWriter.compact.bytes(of: try ExampleFiles.source(name).document)
        #expect(try DefinitionInvariants.check(bytes))
        var generator = SplitMix64(seed: 17)
        var refusedCount = 0
        let count = TestEnvironment.number("RESTKIT_MUTATED_DEFINITIONS") ?? 100
        for _ in 0..<count {
            var input = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !input.isEmpty {
                let index = Int.random(in: 0..<input.count, using: &generator)
                let other = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: input.remove(at: index)
                case 1: input[index] = UInt8.random(in: 0x20...0x7E, using: &generator)
                case 2: input.insert(bytes[other], at: index)
                default:
                    let end = min(bytes.count, other + 20)
                    input.insert(contentsOf: bytes[other..<end], at: index)
                }
            }
            if try !DefinitionInvariants.check(input) { refusedCount += 1 }
        }
        #expect(refusedCount > count / 4)
    }
}
