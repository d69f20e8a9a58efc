// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import RestDefinition
import RestDocument
public import RestInference
public import RestTransport

/// The discovery of an API: the inference of a definition from the first pages of a list.
///
/// ```swift
/// let discovery = MirrorDiscovery(of: "https://api.example.com/articles", over: transport)
/// let inferred = try await discovery.definition()
/// print(inferred.summary.joined(separator: "\n"))
/// ```
public struct MirrorDiscovery: Sendable {
    private let url: String
    private let authentication: AuthenticationDefinition
    private let transport: any HTTPTransport
    private let secrets: SecretReader
    private let clock: any TransportClock
    private let allowance: RequestAllowance

    /// The number of pages from which types and identities are inferred.
    private static let pageCount = 3

    /// Creates a discovery.
    ///
    /// - Parameters:
    ///   - url: The URL of the first page of a list, or of a single record.
    ///   - transport: The transport of requests.
    ///   - authentication: The credentials, which the definition gets.
    ///   - secrets: The reader of secrets.
    ///   - clock: The clock.
    ///   - allowance: The requests that the discovery may send; pass it to ``APIMirror/run(within:reporting:)`` as well.
    public init(
        of url: String, over transport: any HTTPTransport,
        authentication: AuthenticationDefinition = .none,
        secrets: SecretReader = SecretReader(environment: [:]),
        clock: any TransportClock = .system,
        allowance: RequestAllowance = RequestAllowance(.none)
    ) {
        self.url = url
        self.transport = transport
        self.authentication = authentication
        self.secrets = secrets
        self.clock = clock
        self.allowance = allowance
    }

    /// Requests the first pages and infers the definition.
    ///
    /// Rows that a complete walk does not find are deleted.
    ///
    /// - Returns: The definition with the reasons; its summary has at most five lines.
    /// - Throws: ``MirrorError`` with code `invalidDefinition` if the response has no records, or nothing
    ///   identifies them; the errors of requests; `CancellationError`.
    public func definition() async throws -> InferredDefinition {
        let start: HTTPURL
        do throws(TransportError) {
            start = try HTTPURL(parsing: url)
        } catch {
            throw MirrorError(.invalidDefinition, details: [error.reason], underlying: error)
        }
        var resource = ResourceDefinition(
            name: "records", path: Template(text: start.requestTarget), entity: .one("Record"))
        let api = APIDefinition(
            base: start.origin.description + "/", authentication: authentication)
        let client = try MirrorClient(
            Definition(api: api, resources: [resource]), transport, clock, secrets)
        let requester = PageRequester(
            client: client.client,
            budget: RequestBudgets.process.budget(of: api, at: client.base, clock: clock),
            resource: resource, rules: [],
            format: BodyFormat(format: .json, formats: .standard),
            report: { _ in }, renewal: client.renewal, allowance: allowance)
        var inference = DefinitionInference()
        var position = PagePosition.first
        var pagination = PaginationDefinition(.singlePage)
        var recordCount = 0
        var inferred: InferredDefinition?
        var hasNoElements = false
        for number in 1...Self.pageCount {
            let composer = RequestComposer(
                api: api, resource: resource, pagination: pagination, base: client.base,
                secrets: [:])
            let request = try composer.request(for: position, .none, .everything)
            let fetched: FetchedPage
            do {
                fetched = try await requester.fetch(
                    request, unless: nil, hasParents: false, hasInterval: false)
            } catch let error as MirrorError where error.code == .ceilingReached && number > 1 {
                break
            }
            guard case .document(let document) = fetched.content else { break }
            hasNoElements = document.root.kind == .array && document.root[0] == nil
            let fields = fetched.head.headerFields.map { HeaderField($0.name.rawName, $0.value) }
            inference.observe(
                document, from: try composer.withoutCredentials(request.url).requestText,
                fields: fields)
            let result = inference.result()
            inferred = result
            guard let found = result.definition.resources.first,
                let records = try? PageRecords(in: document, by: found.records)
            else { break }
            recordCount += records.count
            let facts = NextPage.Facts(
                head: fetched.head, root: document.root, records: records, position: position,
                url: fetched.url, recordCount: recordCount, isRepeated: false, pageCount: number)
            pagination = found.pagination ?? LinkDetector.pagination(of: facts)
            resource.records = found.records
            guard case .page(let next)? = try? NextPage(after: facts, by: pagination, composer)
            else { break }
            position = next
        }
        return try checked(inferred, hasNoElements: hasNoElements)
    }

    /// Returns a definition that can be run.
    private func checked(
        _ inferred: InferredDefinition?, hasNoElements: Bool
    ) throws(MirrorError) -> InferredDefinition {
        guard var inferred, !inferred.definition.resources.isEmpty else {
            throw MirrorError(
                .invalidDefinition,
                details: [
                    hasNoElements
                        ? "the list is empty, so that nothing shows its columns; run the command when it has records, "
                            + "or write a definition"
                        : "the response has no records: it is neither a list nor an object; write the URL of a list"
                ])
        }
        for entity in inferred.definition.resources.flatMap(\.entity.names) {
            guard inferred.definition.entity(named: entity)?.identity.isEmpty != false else {
                continue
            }
            throw MirrorError(
                .invalidDefinition,
                details: [
                    "nothing identifies the records of \(entity), so that a second run could not find them; "
                        + "write a definition with their identity"
                ])
        }
        inferred.definition.api.authentication = authentication
        for index in inferred.definition.entities.indices {
            // Later records can have further keys.
            inferred.definition.entities[index].infersAttributes = true
        }
        for index in inferred.definition.resources.indices {
            inferred.definition.resources[index].deletion = .walk
        }
        // A column of which only null was seen has no type yet.
        var completion = EntityCompletion(inferred.definition)
        inferred.definition = completion.finish()
        return inferred
    }
}
