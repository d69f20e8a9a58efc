// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import RestDocument
import RestMapping
import RestTransport

/// Turns a received response into a document with matches, or into the error it is.
///
/// Judged in this order: status, content type, body, descriptors. Pure but for ``body(of:)``.
struct ResponseReader: Sendable {
    let selection: DescriptorSelection
    let baseURL: HTTPURL
    let format: ResponseFormat

    /// How much room a body gets because it says it is long.
    private static let maximumRoomInAdvance = 16 << 20

    /// Receives the body and reads the response.
    ///
    /// - Throws: ``NetworkingError``, or `CancellationError`.
    func read(_ response: TransportResponse) async throws -> ObjectResponse {
        let body = try await body(of: response)
        try Task.checkCancellation()
        return try read(response.head, of: response.request, body: body)
    }

    /// Reads a complete response.
    func read(
        _ head: HTTPResponse, of request: TransportRequest, body: consuming BodyBuffer
    ) throws(NetworkingError) -> ObjectResponse {
        let isBlank = body.isBlank
        let received = ObjectResponse(
            request: request, head: head, document: nil, matches: [],
            bodyPrefix: body.prefix(NetworkingError.maximumBodyByteCount))
        switch head.status.code {
        case 200...299: break
        case 300...399 where describesStatus(of: received, byName: true): break
        default: throw refusal(received, body)
        }
        if isBlank || request.method == .head { return received }
        let document: Document
        switch format.choice(for: head) {
        case .mistake(let mistake):
            throw received.error(.unexpectedContentType, stage: .response, causes: [mistake])
        case .format(let choice):
            do throws(DocumentError) {
                document = try format.document(of: body, in: choice)
            } catch {
                throw received.error(
                    .malformedBody, stage: .parsing, path: error.path, underlying: error)
            }
        }
        switch finding(in: document, of: received) {
        case .matches(let matches):
            return ObjectResponse(
                request: request, head: head, document: document, matches: matches,
                bodyPrefix: received.bodyPrefix)
        case .nothing(let causes):
            throw received.error(.noMatchingDescriptor, stage: .selection, causes: causes)
        }
    }

    private func finding(
        in document: Document, of response: ObjectResponse
    ) -> DescriptorSelection.Finding {
        selection.finding(
            in: document, at: ExchangePlace(url: response.url, base: baseURL),
            method: response.request.method, status: response.head.status.code)
    }

    /// Whether a descriptor is for the response's status; one for all statuses does not name any.
    private func describesStatus(of response: ObjectResponse, byName: Bool = false) -> Bool {
        let place = ExchangePlace(url: response.url, base: baseURL)
        let (method, status) = (response.request.method, response.head.status.code)
        return selection.descriptors.contains { descriptor in
            (!byName || descriptor.statusCodes != nil)
                && descriptor.mismatch(of: place, method: method, status: status) == nil
        }
    }

    /// Receives a body into the room it is parsed in.
    private func body(of response: TransportResponse) async throws -> BodyBuffer {
        let announced = response.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        var buffer = BodyBuffer(expecting: min(max(announced, 0), Self.maximumRoomInAdvance))
        do {
            for try await chunk in response.body {
                buffer.append(chunk)
            }
        } catch let error as TransportError {
            throw NetworkingError(
                .transportFailed, stage: .transport, method: response.request.method.rawValue,
                url: response.url.redacted, status: response.status.code, underlying: error)
        }
        return buffer
    }
}

// MARK: - Errors of the server

extension ResponseReader {
    /// The error that a response with an unwanted status is.
    ///
    /// The status says more than anything wrong with the body, so a body that cannot be read only
    /// adds to the causes.
    private func refusal(
        _ response: ObjectResponse, _ body: consuming BodyBuffer
    ) -> NetworkingError {
        var refusal = response.error(.unexpectedStatus, stage: .response)
        guard !body.isBlank, describesStatus(of: response) else { return refusal }
        let choice: any DocumentFormat
        switch format.choice(for: response.head) {
        case .mistake(let mistake):
            refusal.causes = [mistake]
            return refusal
        case .format(let format):
            choice = format
        }
        do {
            let document = try format.document(of: body, in: choice)
            switch finding(in: document, of: response) {
            case .matches(let matches):
                var report = MappingReport()
                for match in matches {
                    refusal.mappedErrors += try match.plan
                        .anyObjects(
                            from: match.representation, in: match.environment, report: &report
                        )
                        .compactMap { $0 as? any Error }
                }
            case .nothing(let causes):
                refusal.causes = causes
            }
        } catch {
            refusal.underlying = error
        }
        if !refusal.mappedErrors.isEmpty { refusal.code = .errorResponse }
        return refusal
    }
}
