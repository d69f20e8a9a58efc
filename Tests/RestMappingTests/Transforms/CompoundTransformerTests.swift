// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct CompoundTransformerTests {
    private let one = constant("1")
    private let two = constant("2")
    private let three = constant("3")

    @Test(.parity("M153")) func aNewListIsEmptyAndTakesMembers() {
        var list = CompoundTransformer()
        #expect(list.count == 0)
        list.add(one)
        #expect(list.count == 1)
    }

    @Test(.parity("M154")) func onlyMembersAreTakenOut() {
        var list = CompoundTransformer([one, two])
        let isStranger = !list.remove(three)
        #expect(isStranger)
        #expect(list.map(\.name) == ["1", "2"])
        let isMember = list.remove(one)
        #expect(isMember)
        #expect(list.map(\.name) == ["2"])
    }

    @Test(.parity("M155")) func insertedAtTheFrontItIsFirst() {
        var list = CompoundTransformer([one, two])
        list.insert(three, at: 0)
        #expect(list.map(\.name) == ["3", "1", "2"])
        list.insert(two, at: 0)
        #expect(list.map(\.name) == ["2", "3", "1"])
        list.add(two)
        #expect(list.map(\.name) == ["3", "1", "2"])
        list.insert(one, at: 9)
        #expect(list.map(\.name) == ["3", "2", "1"])
    }

    @Test(.parity("M156", "M157")) func theListNamesWhoCanConvertTwoTypes() {
        let numbers = TypeSet.numbers.union(.type(Decimal.self))
        let text = TypeSet.type(String.self)
        let list = CompoundTransformer([
            Transformer("any", from: text, to: .any.subtracting(.type(Data.self))) { _, _ in nil },
            Transformer("numbers", from: text, to: numbers) { _, _ in nil },
            Transformer("decimals", from: text, to: .type(Decimal.self)) { _, _ in nil },
        ])
        func names(_ input: Any.Type, _ output: Any.Type) -> [String] {
            list.transformers(from: input, to: output).map(\.name)
        }
        #expect(names(String.self, Decimal.self) == ["any", "numbers", "decimals"])
        #expect(names(String.self, Int.self) == ["any", "numbers"])
        #expect(names(String.self, URL.self) == ["any"])
        #expect(names(Int.self, [Int].self) == [])
        #expect(list.canTransform(from: String.self, to: URL.self))
        #expect(!list.canTransform(from: String.self, to: Data.self))
        #expect(!list.canTransform(from: Int.self, to: [Int].self))
    }

    @Test(.parity("M158", "M159")) func theFirstThatSucceedsConverts() throws {
        var list = CompoundTransformer([one, two])
        #expect(try list.transform("x", as: String.self) == "1")
        list.insert(three, at: 0)
        #expect(try list.transform("x", as: String.self) == "3")
        list.insert(refusal("no"), at: 0)
        #expect(try list.transform("x", as: String.self) == "3")
    }

    @Test(.parity("M160")) func whenAllFailTheErrorTellsWhoWasAsked() {
        let list = CompoundTransformer([refusal("a"), Transformer.url, refusal("b")])
        do throws(TransformFailure) {
            _ = try list.transform("s3cret", to: String.self)
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .failed)
            #expect(error.input == "String")
            #expect(error.output == "String")
            #expect(error.details.map(\.transformer) == ["a", "b"])
            #expect(error.description.contains("String to String; 2 consulted"))
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test(.parity("M161")) func aListWithoutMembersFails() {
        expectFailure(.failed, of: CompoundTransformer(), "x", to: String.self)
        expectFailure(.failed, of: CompoundTransformer(), nil, to: String.self)
    }

    @Test(.parity("M163", "M164")) func aCopyIsAListOfItsOwnInTheSameOrder() {
        let list = CompoundTransformer([one, two, three])
        var copy = list
        #expect(copy.map(\.name) == ["1", "2", "3"])
        copy.remove(two)
        #expect(copy.map(\.name) == ["1", "3"])
        var names: [String] = []
        for member in list { names.append(member.name) }
        #expect(names == ["1", "2", "3"])
    }

    private func refusal(_ name: String) -> Transformer {
        Transformer(name, from: String.self, to: String.self) { _ in nil }
    }
}

private func constant(_ text: String) -> Transformer {
    Transformer(text, from: String.self, to: String.self) { _ in text }
}
