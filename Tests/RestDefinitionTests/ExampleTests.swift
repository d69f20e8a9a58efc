// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument
import RestYAML
import Testing

@Suite struct ExampleTests {
    @Test func hasAnExampleForEachKindOfAPI() {
        #expect(
            Set(ExampleFiles.names).isSuperset(of: [
                "github", "star-wars", "pokeapi", "stripe", "json-api", "odata", "wordpress",
                "search-after", "tombstones", "capped-search",
            ]))
    }

    @Test(arguments: ExampleFiles.names)
    func readsWithoutDiagnostics(_ name: String) throws {
        let source = try ExampleFiles.source(name)
        do throws(DefinitionError) {
            let file = try DefinitionFile(reading: source)
            #expect(!file.definition.resources.isEmpty)
        } catch {
            Issue.record("\(name):\n\(error)")
        }
    }

    @Test(arguments: ExampleFiles.names)
    func isUnchangedByWritingAndReading(_ name: String) throws {
        let definition = try DefinitionFile(reading: ExampleFiles.source(name)).definition
        let yaml = try SourceValue(parsingYAML: definition.yaml())
        #expect(try DefinitionFile(reading: yaml).definition == definition)
        let json = try SourceValue(parsingJSON: JSONWriter.pretty.bytes(of: definition.json()))
        #expect(try DefinitionFile(reading: json).definition == definition)
    }
}
