// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1
import NIOHTTP2

/// A channel handler that retires a connection over HTTP/2 on which the server is silent.
///
/// AsyncHTTPClient keeps such a connection when a request over it has timed out, and every later
/// request would time out as well. An exchange that ends without a byte from the server, because of a
/// time limit or a cancellation, therefore retires the connection before it reports its end: the handler
/// reports a GOAWAY frame, after which AsyncHTTPClient sends no further request over the connection.
final class SilenceDetector: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    /// The time without a frame after which the end of a request counts.
    ///
    /// A shorter one could be that of a server that has not had time to respond.
    static let minimumDuration = TimeAmount.milliseconds(500)

    private let connections: HTTP2Connections
    private var authority: String?
    private var context: ChannelHandlerContext?
    private var lastFrame = NIODeadline.distantPast
    private var openStreamCount = 0
    private var isRetired = false

    /// Creates the handler of a connection, which is one of the connections from its first request on.
    init(in connections: HTTP2Connections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        if let authority { connections.remove(self, to: authority) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastFrame = .now()
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is NIOHTTP2StreamCreatedEvent: openStreamCount += 1
        case is StreamClosedEvent: openStreamCount -= 1
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Notes that a request is sent to a server.
    func noteRequest(to authority: String) {
        guard let context, self.authority == nil else { return }
        self.authority = authority
        connections.add(self, to: authority, on: context.eventLoop)
    }

    /// Retires the connection if the server has sent no frame for some time although it is in use.
    ///
    /// - Parameter start: The time when an exchange began to wait for the server.
    func retireIfSilent(since start: NIODeadline) {
        // A frame for the connection, such as the acknowledgement of settings, can follow the start.
        let silence = NIODeadline.now() - max(lastFrame, start)
        guard let context, !isRetired, openStreamCount > 0, silence >= Self.minimumDuration else {
            return
        }
        isRetired = true
        // AsyncHTTPClient closes the connection after the last stream.
        let frame = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil))
        context.fireChannelRead(wrapInboundOut(frame))
    }
}

/// A channel handler of one stream that notes its request in the detector of its connection.
final class StreamReporter: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let detector: SilenceDetector

    init(to detector: SilenceDetector) {
        self.detector = detector
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data),
            let authority = head.headers.first(name: "Host")
        {
            detector.noteRequest(to: authority)
        }
        context.write(data, promise: promise)
    }
}
#endif
