// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

// The errors that a server describes.

extension ResponseReader {
    /// Returns the error of a response with an unexpected status.
    ///
    /// The body is mapped into the error's `mappedErrors` if descriptors match it. A body that
    /// cannot be read only adds to the causes, because the status matters more.
    func statusError(
        _ response: ObjectResponse, _ body: consuming BodyBuffer, _ failure: TransportError?
    ) -> NetworkingError {
        let expected = expectedStatuses(of: response)
        var statusError = response.error(
            .unexpectedStatus, stage: .response,
            causes: ["expected (\(expected)), found \(response.head.status.code)"],
            underlying: failure)
        let isProblem = ProblemDetails.isMediaType(of: response.head)
        guard failure == nil, !body.isBlank, isProblem || hasDescriptor(for: response) else {
            return statusError
        }
        let selected: (format: any DocumentFormat, charset: String?)
        let beginning = body.prefix(FormatSelection.beginningByteCount)
        switch formats.selection(for: response.head, beginning) {
        case .unsupported(let cause):
            statusError.causes.append(cause)
            return statusError
        case .format(let format, let charset): selected = (format, charset)
        }
        do {
            let document = try replaced(
                formats.document(from: body, in: selected.format, charset: selected.charset),
                of: response)
            switch match(document, of: response) {
            case .matches(let matches, _): map(matches, response, into: &statusError)
            case .noMatch(let causes) where !isProblem: statusError.causes += causes
            case .noMatch: break
            }
            if isProblem, statusError.mappedErrors.isEmpty {
                statusError.mappedErrors = ProblemDetails(document).map { [$0] } ?? []
            }
        } catch {
            if error is DocumentError {
                let type = response.head.headerFields[.contentType] ?? "no content type"
                statusError.causes.append("the body is not well-formed, content type \(type)")
            }
            // The status error names the request already.
            statusError.underlying = (error as? NetworkingError)?.underlying ?? error
        }
        if !statusError.mappedErrors.isEmpty { statusError.code = .errorResponse }
        return statusError
    }

    /// Returns the error that a response of success contains; `nil` if there is none.
    func errorOfSuccess(
        in document: Document, _ response: ObjectResponse
    ) -> NetworkingError? {
        let status = response.head.status.code
        let matches = descriptors.errors(
            in: document, at: location, method: response.request.method, status: status)
        guard !matches.isEmpty else { return nil }
        let names = matches.map { "\"\($0.descriptor.keyPath)\"" }.joined(separator: ", ")
        var error = response.error(
            .errorResponse, stage: .response,
            causes: ["the response has status \(status) and errors in \(names)"])
        map(matches, response, into: &error)
        return error
    }

    /// Maps matches into the errors of an error.
    ///
    /// A match that cannot be mapped, or an element of its list, adds to the causes, and the other ones are
    /// mapped.
    private func map(
        _ matches: [ResponseMatch], _ response: ObjectResponse, into error: inout NetworkingError
    ) {
        for match in prepare(matches, response) {
            do throws(NetworkingError) {
                error.mappedErrors += try mappedErrors(of: match, response, &error.mappingReport)
            } catch let failure {
                error.causes.append("the descriptor of \(match.descriptor) does not fit the body")
                if error.underlying == nil { error.underlying = failure.underlying ?? failure }
                guard match.representation.kind == .array else { continue }
                var ignored = MappingReport()
                for element in match.representation.elements {
                    var part = match
                    part.representation = element
                    let errors = try? mappedErrors(of: part, response, &ignored)
                    error.mappedErrors += errors ?? []
                }
            }
        }
    }

    /// Returns the objects of a match that are errors.
    private func mappedErrors(
        of match: ResponseMatch, _ response: ObjectResponse, _ report: inout MappingReport
    ) throws(NetworkingError) -> [any Error] {
        try response.newObjects(of: match, nil, &report).compactMap { $0 as? any Error }
    }
}
