// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct AnyValueTransformChainTests {
    private let one = constant("1")
    private let two = constant("2")
    private let three = constant("3")

    @Test(.parity("M153")) func addsMemberToEmptyChain() {
        var chain = AnyValueTransform(firstOf: [])
        #expect(chain.members.count == 0)
        chain.add(one)
        #expect(chain.members.count == 1)
    }

    @Test(.parity("M154")) func removesOnlyMembers() {
        var chain = AnyValueTransform(firstOf: [one, two])
        let isNotMember = !chain.remove(three)
        #expect(isNotMember)
        #expect(chain.members.map(\.name) == ["1", "2"])
        let isMember = chain.remove(one)
        #expect(isMember)
        #expect(chain.members.map(\.name) == ["2"])
    }

    @Test(.parity("M155")) func insertsMemberAtFront() {
        var chain = AnyValueTransform(firstOf: [one, two])
        chain.insert(three, at: 0)
        #expect(chain.members.map(\.name) == ["3", "1", "2"])
        chain.insert(two, at: 0)
        #expect(chain.members.map(\.name) == ["2", "3", "1"])
        chain.add(two)
        #expect(chain.members.map(\.name) == ["3", "1", "2"])
        chain.insert(one, at: 9)
        #expect(chain.members.map(\.name) == ["3", "2", "1"])
    }

    @Test(.parity("M156", "M157")) func listsMembersThatConvertTwoTypes() {
        let numbers = TypeSet.numbers.union(.type(Decimal.self))
        let text = TypeSet.type(String.self)
        let chain = AnyValueTransform(firstOf: [
            AnyValueTransform("any", from: text, to: .any.subtracting(.type(Data.self))) { _, _ in
                nil
            },
            AnyValueTransform("numbers", from: text, to: numbers) { _, _ in nil },
            AnyValueTransform("decimals", from: text, to: .type(Decimal.self)) { _, _ in nil },
        ])
        func names(_ input: Any.Type, _ output: Any.Type) -> [String] {
            chain.members(from: input, to: output).map(\.name)
        }
        #expect(names(String.self, Decimal.self) == ["any", "numbers", "decimals"])
        #expect(names(String.self, Int.self) == ["any", "numbers"])
        #expect(names(String.self, URL.self) == ["any"])
        #expect(names(Int.self, [Int].self) == [])
        #expect(chain.canTransform(from: String.self, to: URL.self))
        #expect(!chain.canTransform(from: String.self, to: Data.self))
        #expect(!chain.canTransform(from: Int.self, to: [Int].self))
    }

    @Test(.parity("M158", "M159")) func convertsByFirstMemberThatSucceeds() throws {
        var chain = AnyValueTransform(firstOf: [one, two])
        #expect(try chain.transform("x", as: String.self) == "1")
        chain.insert(three, at: 0)
        #expect(try chain.transform("x", as: String.self) == "3")
        chain.insert(refusal("no"), at: 0)
        #expect(try chain.transform("x", as: String.self) == "3")
    }

    @Test(.parity("M160")) func errorListsFailedMembers() {
        let chain = AnyValueTransform(firstOf: [refusal("a"), .url, refusal("b")])
        do throws(TransformFailure) {
            _ = try chain.transform("s3cret", to: String.self)
            Issue.record("the chain did not throw")
        } catch {
            #expect(error.code == .failed)
            #expect(error.input == "String")
            #expect(error.output == "String")
            #expect(error.details.map(\.transform) == ["a", "b"])
            #expect(error.description.contains("String to String; 2 consulted"))
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test(.parity("M161")) func emptyChainFails() {
        expectFailure(.failed, of: AnyValueTransform(firstOf: []), "x", to: String.self)
        expectFailure(.failed, of: AnyValueTransform(firstOf: []), nil, to: String.self)
    }

    @Test(.parity("M163", "M164")) func copiesAreIndependent() {
        let chain = AnyValueTransform(firstOf: [one, two, three])
        var copy = chain
        #expect(copy.members.map(\.name) == ["1", "2", "3"])
        copy.remove(two)
        #expect(copy.members.map(\.name) == ["1", "3"])
        var names: [String] = []
        for member in chain.members { names.append(member.name) }
        #expect(names == ["1", "2", "3"])
    }

    @Test func addingToSingleTransformCreatesChain() throws {
        var transform = one
        #expect(transform.members.map(\.name) == ["1"])
        transform.add(two)
        #expect(transform.members.map(\.name) == ["1", "2"])
        #expect(try transform.transform("x", as: String.self) == "1")
        let isMember = transform.remove(one)
        #expect(isMember)
        #expect(transform.members.map(\.name) == ["2"])
    }

    private func refusal(_ name: String) -> AnyValueTransform {
        AnyValueTransform(name, from: String.self, to: String.self) { _ in nil }
    }
}

private func constant(_ text: String) -> AnyValueTransform {
    AnyValueTransform(text, from: String.self, to: String.self) { _ in text }
}
