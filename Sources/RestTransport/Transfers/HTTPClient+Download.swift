// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A file that was downloaded completely.
public struct DownloadedFile: Sendable, Hashable {
    /// The path of the file, as the caller gave it.
    public let path: String

    /// The size of the file in bytes.
    public let byteCount: Int

    /// The number of bytes that earlier, interrupted downloads had received.
    public let resumedByteCount: Int

    /// The status and header fields of the last response.
    public let head: HTTPResponse

    /// The URL that answered, after redirects.
    public let url: HTTPURL
}

/// The outcome of a download.
public enum DownloadOutcome: Sendable {
    /// The file is complete.
    case file(DownloadedFile)

    /// The server sent another status than 200 or 206; nothing was written. The body is unread.
    case declined(TransportResponse)
}

extension HTTPClient {
    /// Sends a GET request and writes the body of the response to a file.
    ///
    /// ```swift
    /// let request = try client.request(at: "exports/2026.csv")
    /// guard case .file(let file) = try await client.download(request, to: "/tmp/2026.csv") else { … }
    /// ```
    ///
    /// The file appears under its path when it is complete, and replaces a file of that name; its
    /// permissions are 0600. Until then the bytes are in a file beside it with the suffix
    /// `.download`. If the representation has a strong validator, an interrupted download is
    /// resumed where it stopped: immediately if the connection was lost, and by the next call with
    /// the same URL, principal and path after an error, a cancellation or a crash. The server
    /// confirms that the representation is the same (`If-Range`); otherwise the download starts
    /// again. Without a validator, or before its first byte, an interrupted download is removed. A path
    /// of a directory, a device, a pipe or a socket is an error before the request is sent.
    ///
    /// Unless the request has limits of its own, the time and the size of the body have no limit;
    /// the other limits of the client apply. Memory does not depend on the size of the file.
    ///
    /// - Parameters:
    ///   - request: The request, whose method is GET, without a range. Set
    ///     ``TransportRequest/progress`` to observe it; the bytes of each response are counted.
    ///   - path: The path of the file, absolute or relative to the working directory.
    ///   - policy: The delays between attempts, and the maximum number of consecutive attempts that
    ///     receive nothing. With an `attemptCount` of 1 an interrupted download is not resumed
    ///     immediately.
    /// - Returns: The file, or the response if its status is neither 200 nor 206.
    /// - Throws: ``TransportError``, with code ``TransportError/Code/fileUnavailable`` if the file
    ///   cannot be written or another download writes to it, or `CancellationError`.
    /// - Isolation: Runs outside of the caller's isolation, because it writes to a file.
    /// - Source: RFC 9110 §13.1.5, §14.
    @concurrent
    public func download(
        _ request: TransportRequest, to path: String, retrying policy: RetryPolicy = .default
    ) async throws -> DownloadOutcome {
        guard request.method == .get, !request.headerFields.contains(.range),
            !request.headerFields.contains(.ifRange)
        else {
            throw TransportError(
                .invalidRequest, stage: .preparing, request: request,
                reason: "a download is a GET without Range and If-Range, which it sets itself")
        }
        var request = request
        if request.limits == nil {
            var limits = limits
            limits.totalTimeout = nil
            limits.bodyByteCount = .max
            request.limits = limits
        }
        // A range counts bytes of the representation, not of what they decode to.
        request.headerFields[.acceptEncoding] = "identity"
        do {
            let file = try PartialFile(for: path, of: request)
            var download = Download(client: self, request: request, file: file, policy: policy)
            return try await download.run(to: path)
        } catch let error as SystemCallError {
            throw TransportError.ofFile(error, request)
        }
    }
}

/// A download in progress.
private struct Download {
    let client: HTTPClient
    let request: TransportRequest
    let file: PartialFile
    let policy: RetryPolicy

    private var content = PartialFile.Content(byteCount: 0)
    private var resumedByteCount = 0
    /// The number of consecutive attempts that received nothing.
    private var idleAttemptCount = 0
    private var hasRestarted = false
    /// A Boolean value that indicates whether the file has no bytes of another representation.
    private var isFileOwned = false

    /// The number of bytes after which the received bytes are confirmed.
    private static let confirmedByteCount = 8 << 20

    init(client: HTTPClient, request: TransportRequest, file: PartialFile, policy: RetryPolicy) {
        self.client = client
        self.request = request
        self.file = file
        self.policy = policy
    }

    mutating func run(to path: String) async throws -> DownloadOutcome {
        content = try file.resumableContent()
        resumedByteCount = content.byteCount
        isFileOwned = content.byteCount > 0
        do {
            let outcome = try await repeatAttempts(to: path)
            if case .declined = outcome { try removeUnlessResumable() }
            return outcome
        } catch {
            try removeUnlessResumable()
            throw error
        }
    }

    /// Removes the file unless it has bytes with which a download can be resumed.
    private func removeUnlessResumable() throws {
        let isResumable = content.validator != nil && content.byteCount > 0
        if try file.isEmpty || isFileOwned && !isResumable { try file.remove() }
    }

    private mutating func repeatAttempts(to path: String) async throws -> DownloadOutcome {
        while true {
            let start = content.byteCount
            do {
                if let outcome = try await attempt(to: path) { return outcome }
            } catch let error as TransportError {
                guard RetryPolicy.isTransient(error), content.validator != nil else { throw error }
                idleAttemptCount = content.byteCount > start ? 0 : idleAttemptCount + 1
                guard policy.attemptCount > 1, idleAttemptCount < policy.attemptCount else {
                    throw error
                }
                var generator = SystemRandomNumberGenerator()
                let delay = policy.backoff(
                    afterAttempts: idleAttemptCount + 1, using: &generator)
                try await client.clock.sleep(until: client.clock.now + delay)
            }
        }
    }

    /// Sends one request; returns `nil` if another one is needed.
    private mutating func attempt(to path: String) async throws -> DownloadOutcome? {
        var request = request
        if let validator = content.validator, content.byteCount > 0 {
            request.headerFields[.range] = "bytes=\(content.byteCount)-"
            request.headerFields[.ifRange] = validator.fieldValue
        }
        let response = try await client.send(request)
        switch DownloadDecision(for: response, after: content) {
        case .replace(let new):
            try removeContent()
            content = new
            resumedByteCount = 0
            try await receive(response)
        case .append(let known):
            content = known
            try await receive(response)
        case .finish:
            break
        case .restart:
            try removeContent()
            content = PartialFile.Content(byteCount: 0)
            resumedByteCount = 0
            guard !hasRestarted else {
                throw TransportError(
                    .malformedResponse, stage: .receivingHeader, request: request,
                    reason: "the server sends ranges that do not follow the received bytes")
            }
            hasRestarted = true
            return nil
        case .decline:
            return .declined(response)
        }
        try file.finish()
        return .file(
            DownloadedFile(
                path: path, byteCount: content.byteCount, resumedByteCount: resumedByteCount,
                head: response.head, url: response.request.url))
    }

    private mutating func removeContent() throws {
        try file.removeContent()
        isFileOwned = true
    }

    /// Appends the body of a response to the file.
    private mutating func receive(_ response: TransportResponse) async throws {
        var confirmed = content.byteCount
        do {
            for try await chunk in response.body {
                try file.write(chunk, at: content.byteCount)
                content.byteCount += chunk.count
                if content.byteCount - confirmed >= Self.confirmedByteCount {
                    try file.confirm(content)
                    confirmed = content.byteCount
                }
            }
            if let expected = content.completeByteCount, content.byteCount != expected {
                throw TransportError(
                    .incompleteBody, stage: .receivingBody, request: request,
                    reason: "\(content.byteCount) of \(expected) bytes arrived")
            }
        } catch {
            if content.byteCount > 0 { try file.confirm(content) }
            throw error
        }
    }
}

extension TransportError {
    fileprivate static func ofFile(
        _ error: SystemCallError, _ request: TransportRequest
    ) -> TransportError {
        let reason: String
        if error == .busy {
            reason = "another download writes to this file"
        } else if error.isFullDisk {
            reason = "the disk is full"
        } else if error == .directory {
            reason = "the path is that of a directory"
        } else if error == .specialFile {
            reason = "the path is that of a device, a pipe or a socket, which is not replaced"
        } else if error.isMissing {
            reason = "the directory of the file does not exist"
        } else {
            reason = "the file cannot be written (\(error))"
        }
        return TransportError(
            .fileUnavailable, stage: .preparing, request: request, reason: reason)
    }
}
