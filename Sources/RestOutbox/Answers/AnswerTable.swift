// SPDX-License-Identifier: Apache-2.0

package import RestDocument
package import RestNetworking

/// A declared meaning of answers.
package struct AnswerRule: Sendable {
    /// The answers.
    package let pattern: ResponsePattern
    /// The kinds of entries to which the rule applies.
    package let kinds: Set<OutboxEntry.Kind>
    package let meaning: AnswerMeaning
    /// The path of the identity that the answer names; `nil` if it names none.
    package let identityPath: DocumentPath?

    package init(
        _ pattern: ResponsePattern,
        of kinds: Set<OutboxEntry.Kind> = Set(OutboxEntry.Kind.allCases),
        means meaning: AnswerMeaning, identityAt identityPath: DocumentPath? = nil
    ) {
        self.pattern = pattern
        self.kinds = kinds
        self.meaning = meaning
        self.identityPath = identityPath
    }
}

/// The meanings of answers: declared rules, the first that applies, before the meanings of the status codes.
///
/// - Source: RFC 9110 §15; RFC 8470 §5.2 for 425; RFC 6585 §4 for 429.
package struct AnswerTable: Sendable {
    /// The rules of entities, by name.
    package let rules: [String: [AnswerRule]]

    package init(_ rules: [String: [AnswerRule]] = [:]) { self.rules = rules }

    /// Returns the declared rule that applies to a response; `nil` if its status code decides.
    package func rule(
        for response: OutboxAnswer.Response, to kind: OutboxEntry.Kind, of entity: String
    ) -> AnswerRule? {
        rules[entity]?.first {
            $0.kinds.contains(kind)
                && $0.pattern.matches(status: response.status, body: response.body)
        }
    }

    /// Returns the meaning of a response.
    ///
    /// A request of an update or a deletion has the same effect when it is sent again, so that every transient
    /// failure is the same for them. A creation has not, so that a failure is uncertain unless it proves that
    /// nothing was created.
    package func meaning(
        of response: OutboxAnswer.Response, to kind: OutboxEntry.Kind, of entity: String
    ) -> AnswerMeaning {
        if let rule = rule(for: response, to: kind, of: entity) { return rule.meaning }
        switch response.status {
        case 200..<300: return .accepted
        case 401: return .unauthorized
        case 404, 410:
            return switch kind {
            case .creation, .command: .refused
            case .update: .gone
            case .deletion: .accepted
            }
        case 412: return .conflict
        case 425, 429: return .postponed
        case 408: return .uncertain
        case 501, 505: return .refused
        case 500..<600: return .uncertain
        default: return .refused
        }
    }
}
