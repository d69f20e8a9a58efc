// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import Testing

@Suite struct MappingErrorTests {
    /// Errors of every kind that public API throws, and the beginnings of their sentences.
    private static func errors() throws -> [(error: MappingError, sentence: String)] {
        var errors: [(error: MappingError, sentence: String)] = []
        func add(_ sentence: String, _ body: () throws -> Void) {
            if let error = #expect(throws: MappingError.self, performing: body) {
                errors.append((error, sentence))
            }
        }
        add("The mapping User is invalid: ") {
            _ = try MappingCompiler().compile(ObjectMapping(for: User.self, ["id": "nothing"]))
        }
        add("The source path is invalid: expected ") { _ = try SourcePath(parsing: "@nothing") }
        add("An object of the mapping Companion cannot be mapped: weight: Companion.weight ") {
            _ = try RequestPlan(Companion.self).bytes(of: Companion(name: "a", weight: .nan))
        }
        add("The mapping City is for objects of another type.") {
            _ = try RequestPlan(City.self).bytes(of: Citizen())
        }
        add("The document has nothing to map for the mapping User: searched at 'x'; ") {
            let mapping = Mapping.object(ObjectMapping(for: User.self, ["name"]))
            _ = try MapperOperation(["x": mapping]).run(Document(parsing: #"{"y":1}"#).root)
        }
        add("The dynamic mapping ") {
            let named = DynamicMapping([
                MappingMatcher(
                    at: "type", equals: "user", mapping: ObjectMapping(for: User.self, ["name"]))
            ])
            _ = try MapperOperation(["": .dynamic(named)]).run(
                Document(parsing: #"{"name":"a"}"#).root, target: User())
        }
        add("The date format QQQ has an unknown symbol.") { _ = try DateFormat("QQQ") }
        add("The type User has no property of that name: User has no property 'nam'") {
            _ = try User().value(named: "nam")
        }
        return errors
    }

    @Test func localizedDescriptionsAreDistinctSentences() throws {
        let errors = try Self.errors()
        #expect(errors.count == 8)
        for (error, sentence) in errors {
            let text = (error as any Error).localizedDescription
            #expect(text.hasPrefix(sentence), "\(text)")
            #expect(text.hasSuffix("."), "\(text)")
        }
        #expect(Set(errors.map(\.error.localizedDescription)).count == errors.count)
    }

    @Test func descriptionsHaveNoEmptyParts() throws {
        for (error, _) in try Self.errors() {
            for text in [error.description, error.localizedDescription] {
                #expect(!text.contains("  ") && !text.contains(" :"), "\(text)")
                #expect(!text.hasSuffix(":") && !text.hasSuffix(": "), "\(text)")
            }
            #expect(error.description.hasPrefix("\(error.code)"))
        }
    }
}
