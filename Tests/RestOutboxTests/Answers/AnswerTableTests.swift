// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestNetworking
import RestOutbox
import Testing

@Suite struct AnswerTableTests {
    @Test(
        arguments: [
            (200, .creation, .accepted), (204, .update, .accepted), (404, .creation, .refused),
            (404, .update, .gone), (410, .update, .gone), (404, .deletion, .accepted),
            (410, .deletion, .accepted), (409, .update, .refused), (422, .creation, .refused),
            (412, .update, .conflict), (400, .update, .refused), (403, .deletion, .refused),
            (405, .update, .refused), (413, .update, .refused), (415, .update, .refused),
            (451, .update, .refused), (401, .update, .unauthorized), (408, .creation, .uncertain),
            (425, .update, .postponed), (429, .creation, .postponed), (500, .update, .uncertain),
            (503, .creation, .uncertain), (501, .creation, .refused), (302, .update, .refused),
        ] as [(Int, OutboxEntry.Kind, AnswerMeaning)])
    func statusHasMeaning(status: Int, kind: OutboxEntry.Kind, meaning: AnswerMeaning) {
        #expect(AnswerTable().meaning(of: .init(status: status), to: kind, of: "notes") == meaning)
    }

    @Test func declaredRuleComesFirst() throws {
        let table = AnswerTable([
            "notes": [
                AnswerRule(
                    ResponsePattern(
                        409, where: ResponseCondition(at: "error.code", .isOne(of: ["exists"]))),
                    of: [.creation], means: .exists),
                AnswerRule(
                    ResponsePattern(409, where: ResponseCondition(at: "error.key", .exists)),
                    means: .inProgress),
                AnswerRule(ResponsePattern(409), means: .conflict),
            ]
        ])
        func meaning(_ body: String, _ kind: OutboxEntry.Kind) throws -> AnswerMeaning {
            table.meaning(
                of: .init(status: 409, body: try Document(parsing: body)), to: kind,
                of: "notes")
        }
        let exists = #"{"error": {"code": "exists"}}"#
        #expect(try meaning(exists, .creation) == .exists)
        #expect(try meaning(exists, .update) == .conflict)
        #expect(try meaning(#"{"error": {"code": "other"}}"#, .creation) == .conflict)
        #expect(try meaning(#"{"error": {"key": 1}}"#, .creation) == .inProgress)
        #expect(table.meaning(of: .init(status: 422), to: .creation, of: "notes") == .refused)
        #expect(table.meaning(of: .init(status: 409), to: .update, of: "folders") == .refused)
    }
}
