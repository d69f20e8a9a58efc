// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

@Suite struct DefinitionMergeTests {
    private static let base = """
        # Inferred: check the guesses.
        version: 1
        api:
          base: https://api.example.com/
        resources:
          items:
            path: items
            pagination: header_link
            entity: Item
        entities:
          Item:
            # id: unique in 30 of 30
            identity: id
            attributes:
              id: integer
              name: text
              size: integer

        """

    private static func merged(
        _ edited: String, _ inferred: String, base: String = base
    ) throws -> DefinitionMerge {
        func source(_ text: String) throws -> DefinitionMerge.Source {
            DefinitionMerge.Source(text, try SourceValue(parsingYAML: text))
        }
        return DefinitionMerge(
            base: try source(base), edited: try source(edited),
            inferred: try SourceValue(parsingYAML: inferred),
            comments: ["entities.Item.identity": "id: unique in 60 of 60"])
    }

    @Test func unchangedInferenceChangesNothing() throws {
        let edited = Self.base.replacing("size: integer", with: "size: decimal  # prices")
        let merge = try Self.merged(edited, Self.base)
        #expect(merge.text == edited)
        #expect(merge.changes == [])
        #expect(merge.conflicts == [])
    }

    @Test func editsSurviveBesideChangesOfTheInference() throws {
        let edited = Self.base
            .replacing("name: text", with: "# the title\n      name: json")
            .replacing("pagination: header_link", with: "pagination: {type: offset, size: 10}")
        let inferred = Self.base
            .replacing("size: integer", with: "size: double")
            .replacing("      id: integer\n", with: "      id: integer\n      color: text\n")
        let merge = try Self.merged(edited, inferred)
        let expected =
            edited
            .replacing("      size: integer\n", with: "      size: double\n      color: text\n")
        #expect(merge.text == expected)
        #expect(
            Set(merge.changes.map(\.description)) == [
                "entities.Item.attributes.size", "entities.Item.attributes.color",
            ])
        #expect(merge.conflicts == [])
    }

    @Test func conflictKeepsTheEditAndNamesItsLine() throws {
        let edited = "# mine\n" + Self.base.replacing("size: integer", with: "size: decimal")
        let inferred = Self.base.replacing("size: integer", with: "size: text")
        let merge = try Self.merged(edited, inferred)
        #expect(merge.text == edited)
        #expect(
            merge.conflicts.map(\.description) == [
                "18: entities.Item.attributes.size is edited, and the inference has changed; to take it, "
                    + "write `size: text`"
            ])
    }

    @Test func conflictNamesTheLineOfTheMergedText() throws {
        let edited = Self.base.replacing("size: integer", with: "size: decimal")
        let inferred = Self.base.replacing("size: integer", with: "size: text")
            .replacing(
                "    path: items\n", with: "    path: items\n    parameters:\n      sort: id\n")
        let merge = try Self.merged(edited, inferred)
        let line = try #require(merge.conflicts.first?.line)
        #expect(merge.text.split(separator: "\n")[line - 1] == "      size: decimal")
    }

    @Test func removedSettingsStayRemovedUnlessTheInferenceChanges() throws {
        let edited = Self.base.replacing("      size: integer\n", with: "")
        #expect(try Self.merged(edited, Self.base).text == edited)
        let changed = Self.base.replacing("size: integer", with: "size: text")
        let merge = try Self.merged(edited, changed)
        #expect(merge.text == edited)
        #expect(merge.conflicts.map(\.path) == ["entities.Item.attributes.size"])
        // What the inference does not have any more goes, if nobody has edited it.
        let gone = Self.base.replacing("      size: integer\n", with: "")
        #expect(try Self.merged(Self.base, gone).text == gone)
    }

    @Test func reasonsGoWithTheirSettings() throws {
        let inferred = Self.base.replacing("identity: id", with: "identity: name")
        let merge = try Self.merged(Self.base, inferred)
        #expect(!merge.text.contains("30 of 30"))
        #expect(merge.text.contains("60 of 60"))
        #expect(
            try DefinitionFile(reading: SourceValue(parsingYAML: merge.text)).definition
                .entities[0].identity == ["name"])
    }

    @Test func newSectionsAreWrittenWhole() throws {
        let text = Self.base + "  Owner:\n    identity: login\n    attributes:\n      login: text\n"
        let merge = try Self.merged(Self.base, text)
        #expect(merge.text == text)
        #expect(merge.changes == ["entities.Owner"])
    }
}
