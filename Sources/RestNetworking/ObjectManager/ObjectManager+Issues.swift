// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import Logging
public import RestMapping
import RestTransport

/// The issues of mapping one response, be it a success or an error.
public struct ReportedIssues: Sendable {
    /// The method of the request.
    public let method: String

    /// The URL that answered, without user, password, query and fragment.
    public let url: String

    /// The status code of the response.
    public let status: Int

    /// The issues and counts of the mapping; there is at least one issue.
    public let report: MappingReport
}

extension ObjectManager {
    /// The function that receives the issues of each response; see
    /// ``ObjectManagerConfiguration/onIssues``.
    public var onIssues: (@Sendable (ReportedIssues) -> Void)? { snapshot.value.onIssues }

    /// Logs a warning about a declaration.
    package func warn(of problem: String) { logger.warning("\(problem)") }

    /// The logger of the manager.
    public var logger: Logger { snapshot.value.logger }

    /// The maximum number of issues that a warning lists.
    private static let loggedIssueCount = 5

    /// Delivers the issues of mapping a response, if there are any.
    package func deliver(_ report: MappingReport, of response: ObjectResponse) {
        deliver(
            ReportedIssues(
                method: response.request.method.rawValue, url: response.url.redacted,
                status: response.head.status.code, report: report))
    }

    /// Reads a response, and delivers the issues of mapping the body of an error.
    func read<Value>(
        _ response: TransportResponse, to request: AssembledRequest<Value>
    ) async throws -> ObjectResponse {
        do {
            return try await request.reader.read(response)
        } catch let error as NetworkingError {
            deliver(
                ReportedIssues(
                    method: response.request.method.rawValue, url: response.request.url.redacted,
                    status: response.status.code, report: error.mappingReport))
            throw error
        }
    }

    /// Logs an error that does not fail the request.
    package func log(_ message: String, _ error: any Error, of response: ObjectResponse) {
        snapshot.value.logger.warning(
            "\(message)",
            metadata: [
                "request": "\(response.request.method.rawValue) \(response.url.redacted)",
                "error": "\(error)",
            ])
    }

    private func deliver(_ issues: ReportedIssues) {
        let report = issues.report
        guard report.issueCount > 0 else { return }
        let configuration = snapshot
        if let onIssues = configuration.value.onIssues {
            onIssues(issues)
            return
        }
        let listed = report.issues.prefix(Self.loggedIssueCount).map(\.description)
        configuration.value.logger.warning(
            "mapping issues",
            metadata: [
                "request": "\(issues.method) \(issues.url)",
                "status": "\(issues.status)",
                "count": "\(report.issueCount)",
                "dropped": "\(report.droppedObjectCount)",
                "issues": .array(listed.map { .string($0) }),
            ])
    }
}
