// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestTesting
import Testing

@Suite struct FixtureTests {
    private let fixture = Fixture(relativeTo: #filePath)

    @Test func readsDocumentByName() throws {
        #expect(try fixture.document("user").root["id"]?.int64 == 31337)
        #expect(try fixture.document("user.json") == fixture.document("user"))
        #expect(try fixture.data("user.json").first == UInt8(ascii: "{"))
    }

    @Test func listsExistingFilesWhenFixtureIsMissing() {
        let error = #expect(throws: FixtureError.self) { try fixture.document("usr") }
        #expect(error?.description.contains("'usr.json'") == true)
        #expect(error?.description.contains("user.json") == true)
    }

    @Test func reportsLineOfInvalidJSON() {
        let error = #expect(throws: FixtureError.self) { try fixture.document("broken") }
        #expect(error?.description.contains("'broken.json' is not JSON") == true)
        #expect(error?.description.contains("line") == true)
    }
}
