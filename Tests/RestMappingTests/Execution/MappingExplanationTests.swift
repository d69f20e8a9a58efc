// SPDX-License-Identifier: Apache-2.0

import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct MappingExplanationTests {
    @Test func explainsOutcomeOfEveryProperty() throws {
        var mapping = ObjectMapping(for: User.self) {
            attribute("n", to: \.name, using: ValueTransform<String?>("shout") { $0.string })
            attribute("id", to: \.userID)
            attribute("c", to: \.country)
            relationship(
                "friends", to: \.friends, mapping: ObjectMapping(for: User.self, ["id": "userID"]))
            relationship("home", to: \.address)
        }
        mapping.validate(\User.luckyNumber) { _ in .reject }
        mapping.add("luckyNumber", from: "lucky")
        let json = #"{"n":"secret","id":"x","friends":[{"id":2}],"lucky":3}"#
        let explanation = try MappingCompiler().compile(mapping).explain(
            Document(parsing: json).root)
        #expect(
            explanation.description == """
                friends[0]: User.userID is assigned from 'id'
                the document: User.name is assigned from 'n' through shout
                the document: User.userID is not assigned from 'id': malformedValue, expected the text \
                of a whole number, found string
                the document: User.friends is assigned from 'friends'
                the document: User.luckyNumber is unchanged: its validation rejects 'lucky'
                the document: User.country is not assigned: there is no value at 'c'
                the document: User.address is not assigned: there is no value at 'home'
                """)
        let failed = try MappingCompiler().compile(mapping).explain(
            Document(parsing: #"{"x":1}"#).root)
        #expect(failed.error?.issue?.code == .unmappable)
        #expect(failed.entries.allSatisfy { $0.outcome == .missing })
    }
}
