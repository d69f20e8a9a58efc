// SPDX-License-Identifier: Apache-2.0

package import RestDocument
package import RestNetworking

/// A declared meaning of answers.
package struct AnswerRule: Sendable {
    /// The status codes to which the rule applies.
    package let statusCodes: StatusCodeSet
    /// The kinds of entries to which the rule applies.
    package let kinds: Set<OutboxEntry.Kind>
    /// The value in the body that the rule requires; `nil` if it requires none.
    package let path: DocumentPath?
    /// The text at the path.
    package let text: String?
    package let meaning: AnswerMeaning

    package init(
        _ statusCodes: StatusCodeSet,
        of kinds: Set<OutboxEntry.Kind> = Set(OutboxEntry.Kind.allCases),
        at path: DocumentPath? = nil, text: String? = nil, means meaning: AnswerMeaning
    ) {
        self.statusCodes = statusCodes
        self.kinds = kinds
        self.path = path
        self.text = text
        self.meaning = meaning
    }

    func applies(to response: OutboxAnswer.Response, _ kind: OutboxEntry.Kind) -> Bool {
        guard statusCodes.contains(response.status), kinds.contains(kind) else { return false }
        guard let path else { return true }
        guard let node = response.body?.root[path] else { return false }
        return text == nil || node.string == text
    }
}

/// The meanings of answers: declared rules, the first that applies, before the meanings of the status codes.
///
/// - Source: RFC 9110 §15; RFC 8470 §5.2 for 425; RFC 6585 §4 for 429.
package struct AnswerTable: Sendable {
    package let rules: [AnswerRule]

    package init(_ rules: [AnswerRule] = []) { self.rules = rules }

    /// Returns the meaning of a response.
    ///
    /// A request of an update or a deletion has the same effect when it is sent again, so that every transient
    /// failure is the same for them. A creation has not, so that a failure is uncertain unless it proves that
    /// nothing was created.
    package func meaning(
        of response: OutboxAnswer.Response, to kind: OutboxEntry.Kind
    ) -> AnswerMeaning {
        if let rule = rules.first(where: { $0.applies(to: response, kind) }) { return rule.meaning }
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
